// A linear model: y = X w. A thread has one row of X. It
// multiplies each number by the weight of its column, and adds
// the products.
// Constants: ROWS, examples; COLS, numbers of an example.

extern "C" __global__ void __launch_bounds__(32)
linear(const float* __restrict__ x,
       const float* __restrict__ w, float* __restrict__ y) {
    unsigned row = blockIdx.x * 32 + threadIdx.x;
    if (row >= ROWS) {
        return;
    }
    float sum = 0.0f;
    for (unsigned k = 0; k < COLS; k++) {
        sum += x[row * COLS + k] * w[k];
    }
    y[row] = sum;
}
