// GELU, backward, in place, from both tensors that forward kept.
// With g = u h, h is g over u, without an exponential; the slope
// of u h is h + u * 2 h (1 - h) * dz/du.
// A thread has one element.
// Constant: N, elements.

extern "C" __global__ void __launch_bounds__(256)
gelu_gradient_kept(const float* __restrict__ u,
                   const float* __restrict__ g,
                   float* __restrict__ d_u) {
    unsigned block = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned i = block * 256 + threadIdx.x;
    if (i < N) {
        float x = u[i];
        float kept = g[i];
        float h = x == 0.0f ? 0.5f : kept / x;
        float dz = 0.7978845608f * (1.0f + 0.134145f * x * x);
        d_u[i] *= h + 2.0f * x * h * (1.0f - h) * dz;
    }
}
