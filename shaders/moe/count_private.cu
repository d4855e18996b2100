// Against `count_atomic`: a block has counters of its own in
// shared memory, and adds each of them to the global one once,
// when all of its choices are counted.
// Constants: N, the choices, tokens times K; E, the experts.

extern "C" __global__ void __launch_bounds__(256)
count_private(const unsigned* __restrict__ chosen,
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
        if (own[e] > 0) {
            atomicAdd(&counts[e], own[e]);
        }
    }
}
