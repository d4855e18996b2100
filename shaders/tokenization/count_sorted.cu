// As count_pairs, with the pairs of a block sorted first: equal
// ones stand together then, and the first of them adds how many
// there are. A block has 1,024 positions.
// Constant: V, the tokens that there can be.
constexpr unsigned PAIRS = 1024;
constexpr unsigned LANES = 256;
constexpr unsigned NONE = 0xffffffffu;  // behind all others

// The first place behind those of the pair.
__device__ unsigned end_of(const unsigned* pairs, unsigned pair,
                           unsigned start) {
    unsigned low = start;
    unsigned high = PAIRS;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (pairs[middle] <= pair) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

extern "C" __global__ void __launch_bounds__(256)
count_sorted(const unsigned* __restrict__ ids,
             const unsigned* __restrict__ offset,
             const unsigned* __restrict__ wall,
             const unsigned* __restrict__ length,
             unsigned* __restrict__ counts) {
    __shared__ unsigned pairs[PAIRS];
    unsigned lane = threadIdx.x;
    for (unsigned p = lane; p < PAIRS; p += LANES) {
        unsigned i = blockIdx.x * PAIRS + p;
        bool is_pair =
            i + 1 < length[0] && wall[offset[i + 1]] == 0;
        pairs[p] = is_pair ? ids[i] * V + ids[i + 1] : NONE;
    }
    // A bitonic sort: runs of `size` are merged, every second
    // one downwards, by exchanges over ever shorter steps.
    for (unsigned size = 2; size <= PAIRS; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (unsigned t = lane; t < PAIRS / 2; t += LANES) {
                unsigned low = t / step * 2 * step + t % step;
                unsigned a = pairs[low];
                unsigned b = pairs[low + step];
                if ((a > b) == ((low & size) == 0)) {
                    pairs[low] = b;
                    pairs[low + step] = a;
                }
            }
        }
    }
    __syncthreads();
    for (unsigned p = lane; p < PAIRS; p += LANES) {
        unsigned pair = pairs[p];
        bool is_first =
            pair != NONE && (p == 0 || pairs[p - 1] != pair);
        if (is_first) {
            atomicAdd(&counts[pair],
                      end_of(pairs, pair, p) - p);
        }
    }
}
