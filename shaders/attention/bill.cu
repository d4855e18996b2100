// What each of three kernels computes and moves for one head,
// as shares: operations in the first row, bytes in the second.
// Columns: the scores, the softmax, the values.
// Constants: SEQ, positions; D, numbers in a query.

extern "C" __global__ void __launch_bounds__(1)
bill(float* __restrict__ shares) {
    float n = float(SEQ);
    float d = float(D);
    // A product has 2 n n d operations; a softmax five a score:
    // compare, subtract, exponential, add, multiply.
    float operations = 4.0f * n * n * d + 5.0f * n * n;
    shares[0] = 100.0f * 2.0f * n * n * d / operations;
    shares[1] = 100.0f * 5.0f * n * n / operations;
    shares[2] = shares[0];
    // A product moves the square and two matrices of n by d, the
    // softmax the square twice.
    float numbers = 4.0f * n * n + 4.0f * n * d;
    shares[3] = 100.0f * (n * n + 2.0f * n * d) / numbers;
    shares[4] = 100.0f * 2.0f * n * n / numbers;
    shares[5] = shares[3];
}
