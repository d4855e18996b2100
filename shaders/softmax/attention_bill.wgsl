// The softmax's and the products' shares of attention's
// operations and bytes, in percent, for N queries and N keys of
// HEAD numbers.
// The first row of the result has the softmax's operations and
// the products', the second their bytes.

override N: u32 = 4096;    // queries and keys
override HEAD: u32 = 128;  // numbers in each

@group(0) @binding(0)
var<storage, read_write> shares: array<f32, 4>;

@compute @workgroup_size(1)
fn main() {
    let n = f32(N);
    let head = f32(HEAD);
    // For each score: two multiplications and additions per
    // number of the head, and five operations of the softmax.
    let operations = 4.0 * head + 5.0;
    shares[0] = 100.0 * 5.0 / operations;
    shares[1] = 100.0 * 4.0 * head / operations;
    // The softmax reads and writes each score, of 2 bytes. So
    // do the products, which also move Q, K, V and the result.
    let bytes = 8.0 * n + 8.0 * head;
    shares[2] = 100.0 * 4.0 * n / bytes;
    shares[3] = 100.0 * (4.0 * n + 8.0 * head) / bytes;
}
