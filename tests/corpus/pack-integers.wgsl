// runs
// out[0..] = 67305985 4294901502 2138996607 4294836223 33751297
// signed[0..] = 0 3 -2 1

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let z = data[0];
    out[0] = pack4xU8(vec4<u32>(1u, 2u, 3u, 4u) + z);
    out[1] = pack4xI8(vec4<i32>(-2, -2, -2, -1) + i32(z));
    out[2] = pack4xI8Clamp(vec4<i32>(999, 127, 126, 300) + i32(z));
    out[3] = pack4xU8Clamp(vec4<u32>(300u, 255u, 253u, 999u) + z);
    out[4] = pack4xU8(unpack4xU8(0x02030001u + data[1] * 256u - z));
    let parts = unpack4xI8(0x01FE0300u + z);
    signed[0] = parts.x;
    signed[1] = parts.y;
    signed[2] = parts.z;
    signed[3] = parts.w;
}
