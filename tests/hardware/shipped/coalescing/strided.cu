// The twin of shaders/coalescing/strided.wgsl.
extern "C" __global__ void kernel(const float *src, float *dst) {
    unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x;
    if (i < N) {
        dst[i] = src[i * STRIDE + OFFSET];
    }
}
