// Copy with ballast: a workgroup holds WORDS words of shared
// memory that it does not need, so that fewer workgroups fit on
// an SM. A lane has one load of 4 bytes on its way at a time.
// Constants: N, the elements; WORDS, the ballast, BLOCK words
// at least.

constexpr unsigned BLOCK = 64;    // workgroup size
constexpr unsigned CHUNK = 4096;  // elements of a workgroup

extern "C" __global__ void __launch_bounds__(BLOCK)
ballast(const float* __restrict__ src,
        float* __restrict__ dst) {
    __shared__ unsigned words[WORDS];
    unsigned lane = threadIdx.x;
    // Never so: the grid has one layer. No compiler knows that,
    // so it keeps the ballast.
    if (gridDim.z > 1) {
        constexpr unsigned APART = WORDS / BLOCK;
        words[lane * APART] = lane;
        __syncthreads();
        lane = words[(BLOCK - 1 - lane) * APART];
    }
    unsigned group = blockIdx.x + blockIdx.y * gridDim.x;
    unsigned first = group * CHUNK;
    unsigned end = min(first + CHUNK, N);
    // Not unrolled: several loads would be on their way.
    #pragma unroll 1
    for (unsigned i = first + lane; i < end; i += BLOCK) {
        dst[i] = src[i];
    }
}
