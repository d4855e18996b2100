// How many tokens begin in each block of 256 bytes.
// Constant: N, the bytes.
constexpr unsigned NOTHING = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(256)
count_ids(const unsigned* __restrict__ ids,
          unsigned* __restrict__ kept) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    bool is_token = i < N && ids[i] != NOTHING;
    unsigned count = __syncthreads_count(is_token);
    if (threadIdx.x == 0) {
        kept[blockIdx.x] = count;
    }
}
