// Back to the parameters: each is used by all examples, so its
// gradient is a sum over them. A thread has one parameter.
// Constants: ROWS, examples; HIDDEN, neurons.

extern "C" __global__ void __launch_bounds__(32)
d_w(const float* __restrict__ x, const float* __restrict__ h,
    const float* __restrict__ d_y,
    const float* __restrict__ d_s, float* __restrict__ g) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i > 4 * HIDDEN) {
        return;
    }
    unsigned j = i % HIDDEN;
    float sum = 0.0f;
    for (unsigned r = 0; r < ROWS; r++) {
        if (i < 2 * HIDDEN) {
            sum += d_s[r * HIDDEN + j] * x[2 * r + i / HIDDEN];
        } else if (i < 3 * HIDDEN) {
            sum += d_s[r * HIDDEN + j];
        } else if (i < 4 * HIDDEN) {
            sum += d_y[r] * h[r * HIDDEN + j];
        } else {
            sum += d_y[r];
        }
    }
    g[i] = sum;
}
