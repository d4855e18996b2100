// The Jacobian of one row's softmax, stored:
// J[i][k] = y[i] (1 - y[i]) on the diagonal, -y[i] y[k]
// elsewhere. A lane stores an entry. A row of n elements takes
// 4 n² bytes.
// Constants: COLS, the elements of y and the rows of j; BLOCK,
// the workgroup size.

extern "C" __global__ void __launch_bounds__(BLOCK)
jacobian(const float* __restrict__ y, float* __restrict__ j) {
    unsigned i = blockIdx.y;
    unsigned k = blockIdx.x * BLOCK + threadIdx.x;
    if (k < COLS) {
        float delta = i == k ? 1.0f : 0.0f;
        j[i * COLS + k] = y[i] * (delta - y[k]);
    }
}
