// The update: a step downhill, against the gradient.
// Constants: COUNT, parameters; RATE, the learning rate.

extern "C" __global__ void __launch_bounds__(32)
update(const float* __restrict__ g, float* __restrict__ w) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    if (i < COUNT) {
        w[i] -= RATE * g[i];
    }
}
