// What the parts of attention have of its operations and of its
// bytes, in percent, for N queries and N keys of HEAD numbers.
// A row of the result has the softmax's operations, the
// products', the softmax's bytes and the products': the first
// row has only operations, the second only bytes.

override N: u32 = 4096;    // queries and keys
override HEAD: u32 = 128;  // numbers in each

@group(0) @binding(0)
var<storage, read_write> shares: array<f32, 8>;

@compute @workgroup_size(1)
fn main() {
    let n = f32(N);
    let head = f32(HEAD);
    // For each score: two multiplications and additions per
    // number of the head, and five operations of the softmax.
    let operations = 4.0 * head + 5.0;
    shares[0] = 100.0 * 5.0 / operations;
    shares[1] = 100.0 * 4.0 * head / operations;
    shares[2] = 0.0;
    shares[3] = 0.0;
    // The softmax reads and writes each score, of 2 bytes. So
    // do the products, which also move Q, K, V and the result.
    let bytes = 8.0 * n + 8.0 * head;
    shares[4] = 0.0;
    shares[5] = 0.0;
    shares[6] = 100.0 * 4.0 * n / bytes;
    shares[7] = 100.0 * (4.0 * n + 8.0 * head) / bytes;
}
