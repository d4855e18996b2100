// AdamW: a rank updates the parameters that it owns, in f32.
// m is the running mean of the gradient, v that of its square.
// A thread has one parameter; y is the rank from FIRST on, z
// the layer.
// Constants: LAYERS; OWN, elements of a layer that a rank
// updates; ROW, elements that `grads` has for a layer; SHIFT,
// its own begin at this times its number; RATE; SCALE, by which
// gradients are multiplied; FIRST, the rank of y = 0.

#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
adamw(const unsigned* __restrict__ updates,
      const half* __restrict__ grads,
      float* __restrict__ master, float* __restrict__ m,
      float* __restrict__ v) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    unsigned rank = FIRST + blockIdx.y;
    if (i >= OWN) {
        return;
    }
    unsigned row = blockIdx.y * LAYERS + blockIdx.z;
    unsigned own = row * OWN + i;
    float g =
        __half2float(grads[row * ROW + rank * SHIFT + i]) / SCALE;
    float mean = 0.9f * m[own] + 0.1f * g;
    float square = 0.999f * v[own] + 0.001f * g * g;
    m[own] = mean;
    v[own] = square;
    // Both began at 0: this makes up for it.
    float t = updates[0] + 1;
    float step = mean / (1.0f - powf(0.9f, t))
        / (sqrtf(square / (1.0f - powf(0.999f, t))) + 1e-8f);
    master[own] -= RATE * (step + 0.01f * master[own]);
}
