// Against `count_private`: no atomics. A block has one expert,
// reads all choices, and adds up in a tree how many of them are
// its own. All choices are read once per expert.
// Constants: N, the choices, tokens times K; E, the experts.

extern "C" __global__ void __launch_bounds__(256)
count_by_expert(const unsigned* __restrict__ chosen,
                unsigned* __restrict__ counts) {
    __shared__ unsigned part[256];
    unsigned lane = threadIdx.x;
    unsigned expert = blockIdx.x;
    unsigned own = 0;
    for (unsigned i = lane; i < N; i += 256) {
        own += chosen[i] == expert;
    }
    part[lane] = own;
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step) {
            part[lane] += part[lane + step];
        }
    }
    if (lane == 0) {
        counts[expert] = part[0];
    }
}
