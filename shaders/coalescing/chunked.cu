// Chunked copy: each lane copies 8 elements that follow each other.
// This is how a CPU thread would share the work. The exercise rewrites its WGSL twin.
// From outside: N, the elements, a multiple of 8, and BLOCK, the lanes in a workgroup.

constexpr unsigned int CHUNK = 8;

extern "C" __global__ void chunked(const float* __restrict__ src, float* __restrict__ dst) {
    unsigned int t = blockIdx.x * BLOCK + threadIdx.x + blockIdx.y * (gridDim.x * BLOCK);
    unsigned int lanes = N / CHUNK;
    if (t < lanes) {
        for (unsigned int k = 0; k < CHUNK; k++) {
            unsigned int i = t * CHUNK + k;
            float value = src[i];
            dst[i] = value;
        }
    }
}
