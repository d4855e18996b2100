// What a merge changes in the counts of pairs: those of its
// neighbours, and no others. A lane has one token. If a merge
// begins there, the lane takes the old pairs away and adds the
// new ones; the other lanes change nothing.
// Constant: V, the tokens that there can be.

extern "C" __global__ void __launch_bounds__(256)
recount(const unsigned* __restrict__ ids,
        const unsigned* __restrict__ offset,
        const unsigned* __restrict__ wall,
        const unsigned* __restrict__ length,
        const unsigned* __restrict__ begins,
        const unsigned* __restrict__ turn,
        unsigned* __restrict__ counts) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= length[0] || begins[i] == 0) {
        return;
    }
    // Whether a pair may be made of the tokens at k and behind.
    auto is_pair = [&](unsigned k) {
        return k + 1 < length[0] && wall[offset[k + 1]] == 0;
    };
    // The newest token is that of this round's merge.
    unsigned newest = 255 + turn[0];
    atomicSub(&counts[ids[i] * V + ids[i + 1]], 1u);
    if (is_pair(i + 1)) {
        unsigned right = ids[i + 2];
        atomicSub(&counts[ids[i + 1] * V + right], 1u);
        // The next token may begin a merge as well.
        unsigned after = begins[i + 2] == 1 ? newest : right;
        atomicAdd(&counts[newest * V + after], 1u);
    }
    if (i == 0 || !is_pair(i - 1)) {
        return;
    }
    if (i >= 2 && begins[i - 2] == 1) {
        // The merge before has counted what is between.
        return;
    }
    unsigned left = ids[i - 1];
    atomicSub(&counts[left * V + ids[i]], 1u);
    atomicAdd(&counts[left * V + newest], 1u);
}
