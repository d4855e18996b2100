// The tokens move together, in their order. `starts` says where
// a block of 256 bytes goes, a scan within the block where each
// of its tokens does.
// Constants: N, the bytes; BLOCKS, N / 256, rounded up.
constexpr unsigned NOTHING = 0xffffffffu;

// offset is at which byte each token begins, length how many
// tokens there are.
extern "C" __global__ void __launch_bounds__(256)
gather_ids(const unsigned* __restrict__ ids,
           const unsigned* __restrict__ starts,
           unsigned* __restrict__ encoded,
           unsigned* __restrict__ offset,
           unsigned* __restrict__ length) {
    __shared__ unsigned before[256];
    unsigned lane = threadIdx.x;
    unsigned i = blockIdx.x * 256 + lane;
    unsigned id = i < N ? ids[i] : NOTHING;
    before[lane] = id != NOTHING;
    for (unsigned step = 1; step < 256; step *= 2) {
        __syncthreads();
        unsigned left = 0;
        if (lane >= step) {
            left = before[lane - step];
        }
        __syncthreads();
        before[lane] += left;
    }
    if (id != NOTHING) {
        unsigned to = starts[blockIdx.x] + before[lane] - 1;
        encoded[to] = id;
        offset[to] = i;
    }
    if (i == 0) {
        offset[starts[BLOCKS]] = N;
        length[0] = starts[BLOCKS];
    }
}
