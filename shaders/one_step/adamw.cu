// AdamW over all parameters. m is the running mean of the
// gradient, v that of its square. The decay is taken from the
// weight itself and does not go through m and v.
// A thread has one parameter.
// Constants: N, parameters; RATE; DECAY.

extern "C" __global__ void __launch_bounds__(256)
adamw(const unsigned* __restrict__ updates,
      const float* __restrict__ grads,
      float* __restrict__ weights, float* __restrict__ m,
      float* __restrict__ v) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    float g = grads[i];
    float mean = 0.9f * m[i] + 0.1f * g;
    float square = 0.95f * v[i] + 0.05f * g * g;
    m[i] = mean;
    v[i] = square;
    // Both began at 0: this makes up for it.
    float t = updates[0] + 1;
    float step = mean / (1.0f - powf(0.9f, t))
        / (sqrtf(square / (1.0f - powf(0.95f, t))) + 1e-8f);
    weights[i] -= RATE * (step + DECAY * weights[i]);
}
