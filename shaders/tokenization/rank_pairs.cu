// A table of all pairs: the rank of the merge that joins them,
// its number in the order of training. A lane has one merge.
// Constant: V, the tokens that there can be.

extern "C" __global__ void __launch_bounds__(64)
rank_pairs(const unsigned* __restrict__ turn,
           const unsigned* __restrict__ merges,
           unsigned* __restrict__ rank) {
    unsigned r = blockIdx.x * 64 + threadIdx.x;
    if (r < turn[0]) {
        rank[merges[2 * r] * V + merges[2 * r + 1]] = r;
    }
}
