// Back through the output: y grows by w for each 1 that h
// grows by. A thread has one neuron of one example.
// Constants: ROWS, examples; HIDDEN, neurons.

extern "C" __global__ void __launch_bounds__(32)
d_h(const float* __restrict__ w, const float* __restrict__ d_y,
    float* __restrict__ d_h) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < ROWS * HIDDEN) {
        unsigned j = i % HIDDEN;
        d_h[i] = d_y[i / HIDDEN] * w[3 * HIDDEN + j];
    }
}
