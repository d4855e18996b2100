// Forward: a thread has one example. Its two numbers go through
// HIDDEN neurons, and these through one output.
// w has the weights of x1, those of x2, the neurons' biases,
// the output's weights, and at last the output's bias.
// Constants: HIDDEN, neurons of the first layer; ACT, 0: none,
// 1: tanh, 2: sigmoid; FIRST, the first example; ROWS, how many
// examples.

__device__ float activation(float s) {
    if (ACT == 1) {
        return tanhf(s);
    }
    if (ACT == 2) {
        return 1.0f / (1.0f + expf(-s));
    }
    return s;
}

extern "C" __global__ void __launch_bounds__(32)
forward(const float* __restrict__ x,
        const float* __restrict__ t,
        const float* __restrict__ w, float* __restrict__ h,
        float* __restrict__ y, float* __restrict__ losses) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i >= ROWS) {
        return;
    }
    unsigned row = FIRST + i;
    float out = w[4 * HIDDEN];
    for (unsigned j = 0; j < HIDDEN; j++) {
        float s = x[2 * row] * w[j]
            + x[2 * row + 1] * w[HIDDEN + j]
            + w[2 * HIDDEN + j];
        float a = activation(s);
        h[row * HIDDEN + j] = a;
        out += a * w[3 * HIDDEN + j];
    }
    y[row] = out;
    losses[row] = (out - t[row]) * (out - t[row]);
}
