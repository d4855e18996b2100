// runs
// out[0..] = 4 24 4 2147483763 0 3 7 32 32 4294967295 4294967295
// signed[0..] = 1 0 31 -1 2 6

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let a = data[1] * 0xF0u;
    let zero = data[0];
    out[0] = countOneBits(a);
    out[1] = countLeadingZeros(a);
    out[2] = countTrailingZeros(a);
    out[3] = reverseBits(0xCE000001u + zero);
    out[4] = countOneBits(zero);
    out[5] = firstTrailingBit(8u + zero);
    out[6] = firstLeadingBit(a);
    out[7] = countLeadingZeros(zero);
    out[8] = countTrailingZeros(zero);
    out[9] = firstLeadingBit(zero);
    out[10] = firstTrailingBit(zero);
    signed[0] = countOneBits(i32(a) >> 7u);
    signed[1] = countLeadingZeros(-i32(a));
    signed[2] = countTrailingZeros(i32(data[1] << 31u));
    signed[3] = firstLeadingBit(-1 - i32(zero));
    signed[4] = firstLeadingBit(-8 + i32(zero));
    signed[5] = firstTrailingBit(vec3<i32>(64 + i32(zero))).y;
}
