// runs
// out[0..] = 18 0 2882343476 0 1 2882346804 65535 4294967295
// signed[0..] = -1 18 -43 0

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let z = data[0];
    let w = 0xABCD1234u + z;
    out[0] = extractBits(w, 8u, 8u);
    out[1] = extractBits(w, 8u, z);
    out[2] = extractBits(w, z, 32u);
    out[3] = extractBits(w, 32u + z, 8u);
    out[4] = extractBits(vec2(w), 12u, 1u).y;
    out[5] = insertBits(w, 0xF3u, 4u + z, 8u);
    out[6] = insertBits(z, ~z, 0u, 16u);
    out[7] = insertBits(z, ~z, 0u, 99u);
    signed[0] = extractBits(i32(w), 31u, 1u);
    signed[1] = extractBits(i32(w), 8u, 8u);
    signed[2] = extractBits(i32(w), 25u, 7u);
    signed[3] = insertBits(vec4<i32>(0), vec4(-1), 3u, z).z;
}
