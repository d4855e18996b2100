// runs
// out[0..] = 9 0 4294967295 0
// signed[0..] = 9 0 -2147483648 0 -9 0

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let zero = data[0];
    let izero = i32(zero);
    let least = i32(data[1] << 31u);
    out[0] = data[9] / zero;
    out[1] = data[9] % zero;
    out[2] = (zero - 1u) / zero;
    out[3] = (zero - 1u) % zero;
    signed[0] = i32(data[9]) / izero;
    signed[1] = i32(data[9]) % izero;
    signed[2] = least / (izero - 1);
    signed[3] = least % (izero - 1);
    signed[4] = -i32(data[9]) / izero;
    signed[5] = -i32(data[9]) % izero;
}
