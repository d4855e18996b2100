// Against `place_atomic`: no atomics, and the order within an
// expert is that of the tokens. `starts` says where the rows
// begin that an expert gets from each block of 256 choices.
// Within the block, a lane counts how many before it chose the
// same expert.
// Constants: N, the choices, tokens times K; BLOCKS, N / 256,
// rounded up.

extern "C" __global__ void __launch_bounds__(256)
place_stable(const unsigned* __restrict__ chosen,
             const unsigned* __restrict__ starts,
             unsigned* __restrict__ row_of,
             unsigned* __restrict__ source) {
    __shared__ unsigned experts[256];
    unsigned lane = threadIdx.x;
    unsigned i = blockIdx.x * 256 + lane;
    if (i < N) {
        experts[lane] = chosen[i];
    }
    __syncthreads();
    if (i >= N) {
        return;
    }
    unsigned expert = experts[lane];
    unsigned before = 0;
    for (unsigned j = 0; j < lane; j++) {
        before += experts[j] == expert;
    }
    unsigned start = starts[expert * BLOCKS + blockIdx.x];
    row_of[i] = start + before;
    source[start + before] = i;
}
