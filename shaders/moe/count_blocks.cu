// How many rows each expert gets from each block of 256
// choices. Row e of `counts` has expert e's: one number for
// each block.
// Constants: N, the choices, tokens times K; E, the experts;
// BLOCKS, N / 256, rounded up.

extern "C" __global__ void __launch_bounds__(256)
count_blocks(const unsigned* __restrict__ chosen,
             unsigned* __restrict__ counts) {
    __shared__ unsigned own[E];
    unsigned lane = threadIdx.x;
    for (unsigned e = lane; e < E; e += 256) {
        own[e] = 0;
    }
    __syncthreads();
    unsigned i = blockIdx.x * 256 + lane;
    if (i < N) {
        atomicAdd(&own[chosen[i]], 1u);
    }
    __syncthreads();
    for (unsigned e = lane; e < E; e += 256) {
        counts[e * BLOCKS + blockIdx.x] = own[e];
    }
}
