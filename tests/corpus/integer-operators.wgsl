// runs
// out[0..] = 10 4 21 2 1 3 7 4 4294967288 28 1 4294967293 1 0 1 1 0 1
// signed[0..] = -4 -10 21 -2 -1 7 -8 -28 -2 1 1 0 0

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read> whole: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(1)
fn main() {
    let a = data[7];
    let b = data[3];
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = a % b;
    out[5] = a & b;
    out[6] = a | b;
    out[7] = a ^ b;
    out[8] = ~a;
    out[9] = a << data[2];
    out[10] = a >> data[2];
    out[11] = 0u - b;
    out[12] = u32(a > b);
    out[13] = u32(a < b);
    out[14] = u32(a != b);
    out[15] = u32(a >= a);
    out[16] = u32(a <= b);
    out[17] = u32(a == a);

    let c = -whole[7];
    let d = whole[3];
    signed[0] = c + d;
    signed[1] = c - d;
    signed[2] = c * -d;
    signed[3] = c / d;
    signed[4] = c % d;
    signed[5] = -c;
    signed[6] = ~(-c);
    signed[7] = c << data[2];
    signed[8] = c >> data[2];
    signed[9] = i32(c < d);
    signed[10] = i32(c <= c);
    signed[11] = i32(c > d);
    signed[12] = i32(c == d);
}
