// GELU, backward, in place: with h = 1 / (1 + e^(-2 z)), the
// slope of u h is h + u * 2 h (1 - h) * dz/du.
// A thread has one element.
// Constants: N, elements of a layer; HELD, layers that `u` has.

extern "C" __global__ void __launch_bounds__(256)
gelu_gradient(const unsigned* __restrict__ layer,
              const float* __restrict__ u,
              float* __restrict__ d_u) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i < N) {
        float x = u[layer[0] % HELD * N + i];
        float z =
            0.7978845608f * x * (1.0f + 0.044715f * x * x);
        float dz = 0.7978845608f * (1.0f + 0.134145f * x * x);
        float h = 1.0f / (1.0f + expf(-2.0f * z));
        d_u[i] *= h + 2.0f * x * h * (1.0f - h) * dz;
    }
}
