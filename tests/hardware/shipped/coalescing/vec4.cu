// The twin of shaders/coalescing/vec4.wgsl.
extern "C" __global__ void kernel(const float4 *src, float4 *dst) {
    unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x;
    if (i < N) {
        dst[i] = src[i];
    }
}
