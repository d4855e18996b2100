// The twin of shaders/coalescing/soa.wgsl.
extern "C" __global__ void kernel(const float *xs, const float *ys, float *dst) {
    unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x;
    if (i < N) {
        dst[i] = xs[i] + ys[i];
    }
}
