// runs
// out[0..] = 2147483648 1 4294967295 0 1 2 255 4278190080
// signed[0..] = -1 -2147483648 1

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let one = data[1];
    out[0] = one << data[31];
    out[1] = out[0] >> data[31];
    out[2] = u32(-i32(one) >> data[31]);
    out[3] = one >> data[31];
    // Only the low five bits of a shift that is known no earlier than this count.
    out[4] = one << data[32];
    out[5] = one << data[33];
    out[6] = ~data[0] >> 24u;
    out[7] = ~data[0] << 24u;
    signed[0] = i32(out[0]) >> data[31];
    signed[1] = i32(one) << data[31];
    signed[2] = i32(one) >> data[32];
}
