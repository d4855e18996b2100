// runs
// out[0..] = 5 7 9 0 0 2 4 10 18 1 0 7 4294967292
// signed[0..] = -1 -2 -3 1 2 3 -2 0 -1

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) zero: u32) {
    let a = vec3<u32>(1u, 2u, 3u) + zero;
    let b = vec3<u32>(4u, 5u, 6u) + vec3(zero);
    for (var k = 0u; k < 3u; k++) {
        out[k] = (a + b)[k];
        out[3u + k] = (a & b)[k];
        out[6u + k] = (a * b)[k];
    }
    out[9] = (b % 3u).x;
    out[10] = (a >> vec3<u32>(2u)).x;
    out[11] = (a ^ b).y;
    out[12] = (~a).z;
    let c = -vec3<i32>(a);
    for (var k = 0; k < 3; k++) {
        signed[k] = c[k];
        signed[3 + k] = abs(c)[k];
    }
    signed[6] = (c << vec3(1u)).x;
    signed[7] = (c % 2)[1];
    signed[8] = (c / 2)[2];
}
