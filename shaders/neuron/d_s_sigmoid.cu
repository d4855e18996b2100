// Back through the activation: the sigmoid h has the slope
// h (1 - h). A thread has one neuron of one example.
// Constants: ROWS, examples; HIDDEN, neurons.

extern "C" __global__ void __launch_bounds__(32)
d_s_sigmoid(const float* __restrict__ h,
            const float* __restrict__ d_h,
            float* __restrict__ d_s) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < ROWS * HIDDEN) {
        float a = h[i];
        d_s[i] = d_h[i] * a * (1.0f - a);
    }
}
