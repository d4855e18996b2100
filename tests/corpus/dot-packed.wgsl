// runs
// out[0..] = 70 65025
// signed[0..] = 70 -10 1

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let a = 0x04030201u + data[0];
    let b = 0x08070605u + data[0];
    out[0] = dot4U8Packed(a, b);
    out[1] = dot4U8Packed(0xFFu, 0xFFu + data[0]);
    signed[0] = dot4I8Packed(a, b);
    signed[1] = dot4I8Packed(a, ~data[0]);
    signed[2] = dot4I8Packed(0xFFu, 0xFFu + data[0]);
}
