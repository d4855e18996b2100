// Backward: a thread has one parameter. For each example it
// starts at the loss and multiplies by local derivatives until
// it arrives at its parameter. The sum is added to g.
// Constants: HIDDEN, neurons of the first layer; ACT, 0: no
// activation, 1: tanh; FIRST, the first example; ROWS, how many
// examples; MEAN_OF, the loss is a mean of so many.

extern "C" __global__ void __launch_bounds__(32)
backward(const float* __restrict__ x,
         const float* __restrict__ t,
         const float* __restrict__ w,
         const float* __restrict__ h,
         const float* __restrict__ y, float* __restrict__ g) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i > 4 * HIDDEN) {
        return;
    }
    unsigned j = i % HIDDEN;  // its neuron
    float sum = 0.0f;
    for (unsigned r = FIRST; r < FIRST + ROWS; r++) {
        float d = 2.0f * (y[r] - t[r]) / MEAN_OF;
        if (i < 3 * HIDDEN) {
            float a = h[r * HIDDEN + j];
            d *= w[3 * HIDDEN + j];
            d *= ACT == 1 ? 1.0f - a * a : 1.0f;
            if (i < 2 * HIDDEN) {
                d *= x[2 * r + i / HIDDEN];
            }
        } else if (i < 4 * HIDDEN) {
            d *= h[r * HIDDEN + j];
        }
        sum += d;
    }
    g[i] += sum;
}
