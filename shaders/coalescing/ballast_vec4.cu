// Copy with ballast, in vectors of four: against `ballast`, a
// lane has PER_LANE loads of 16 bytes on their way at a time.
// Constants: N, the vectors of four elements, a multiple of
// BLOCK * PER_LANE; WORDS, the ballast, BLOCK words at least;
// PER_LANE, the vectors that a lane loads before it stores the
// first: 1 or 4.

constexpr unsigned BLOCK = 64;    // workgroup size
constexpr unsigned CHUNK = 1024;  // vectors of a workgroup

extern "C" __global__ void __launch_bounds__(BLOCK)
ballast_vec4(const float4* __restrict__ src,
             float4* __restrict__ dst) {
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
    constexpr unsigned TURN = BLOCK * PER_LANE;
    // Not unrolled: more loads would be on their way.
    #pragma unroll 1
    for (unsigned i = first + lane; i < end; i += TURN) {
        float4 values[PER_LANE];
        #pragma unroll
        for (unsigned k = 0; k < PER_LANE; k++) {
            values[k] = src[i + k * BLOCK];
        }
        #pragma unroll
        for (unsigned k = 0; k < PER_LANE; k++) {
            dst[i + k * BLOCK] = values[k];
        }
    }
}
