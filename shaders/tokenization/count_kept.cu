// How many tokens of each block of 256 are kept: all but those
// whose left neighbour begins a merge and swallows them.

extern "C" __global__ void __launch_bounds__(256)
count_kept(const unsigned* __restrict__ begins,
           const unsigned* __restrict__ length,
           unsigned* __restrict__ kept) {
    __shared__ unsigned count;
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (threadIdx.x == 0) {
        count = 0;
    }
    __syncthreads();
    if (i < length[0]) {
        bool swallowed = i > 0 && begins[i - 1] == 1;
        if (!swallowed) {
            atomicAdd(&count, 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        kept[blockIdx.x] = count;
    }
}
