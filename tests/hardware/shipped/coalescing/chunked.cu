// The twin of shaders/coalescing/chunked.wgsl.
constexpr unsigned CHUNK = 8;

extern "C" __global__ void kernel(const float *src, float *dst) {
    unsigned t = (blockIdx.y * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x;
    if (t < N / CHUNK) {
        for (unsigned k = 0; k < CHUNK; k++) {
            dst[t * CHUNK + k] = src[t * CHUNK + k];
        }
    }
}
