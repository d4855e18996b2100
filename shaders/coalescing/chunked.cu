// Chunked copy: each lane copies 8 consecutive elements.
// This is how CPU threads would share the work. The exercise
// rewrites the WGSL twin.
// Constants: N, the elements, a multiple of 8; BLOCK, the
// workgroup size.

constexpr unsigned CHUNK = 8;

extern "C" __global__ void
chunked(const float* __restrict__ src,
        float* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned t = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    unsigned lanes = N / CHUNK;
    if (t < lanes) {
        for (unsigned k = 0; k < CHUNK; k++) {
            unsigned i = t * CHUNK + k;
            float value = src[i];
            dst[i] = value;
        }
    }
}
