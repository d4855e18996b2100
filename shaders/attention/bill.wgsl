// What each of three kernels computes and moves for one head,
// as shares: operations in the first row, bytes in the second.
// Columns: the scores, the softmax, the values.

override SEQ: u32 = 4096;  // positions
override D: u32 = 128;     // numbers in a query

@group(0) @binding(0) var<storage, read_write> shares: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let n = f32(SEQ);
    let d = f32(D);
    // A product has 2 n n d operations; a softmax five a score:
    // compare, subtract, exponential, add, multiply.
    let operations = 4.0 * n * n * d + 5.0 * n * n;
    shares[0] = 100.0 * 2.0 * n * n * d / operations;
    shares[1] = 100.0 * 5.0 * n * n / operations;
    shares[2] = shares[0];
    // A product moves the square and two matrices of n by d, the
    // softmax the square twice.
    let numbers = 4.0 * n * n + 4.0 * n * d;
    shares[3] = 100.0 * (n * n + 2.0 * n * d) / numbers;
    shares[4] = 100.0 * 2.0 * n * n / numbers;
    shares[5] = shares[3];
}
