// Back through the activation: tanh has the slope 1 - tanh^2.
// A thread has one neuron of one example.
// Constants: ROWS, examples; HIDDEN, neurons.

extern "C" __global__ void __launch_bounds__(32)
d_s(const float* __restrict__ h, const float* __restrict__ d_h,
    float* __restrict__ d_s) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < ROWS * HIDDEN) {
        d_s[i] = d_h[i] * (1.0f - h[i] * h[i]);
    }
}
