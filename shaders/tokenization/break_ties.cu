// Several pairs may have the greatest count. Each position that
// holds one of them makes a key, and the greatest key wins:
// best[1]. RULE says what the key is made of.
// Constants: V, the tokens that there can be; RULE, 0 for the
// pair with the smallest ids, 1 for the pair that is seen
// first, 2 for the pair whose bytes are the greatest. `order`
// is a token's place among all, by its bytes.

extern "C" __global__ void __launch_bounds__(256)
break_ties(const unsigned* __restrict__ ids,
           const unsigned* __restrict__ offset,
           const unsigned* __restrict__ wall,
           const unsigned* __restrict__ length,
           const unsigned* __restrict__ counts,
           const unsigned* __restrict__ order,
           unsigned* __restrict__ best) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i + 1 >= length[0]) {
        return;
    }
    if (wall[offset[i + 1]] == 1) {
        return;
    }
    unsigned a = ids[i];
    unsigned b = ids[i + 1];
    if (counts[a * V + b] != best[0]) {
        return;
    }
    // The greatest key is the smallest pair, or position.
    unsigned key = ~(a * V + b);
    if (RULE == 1) {
        key = ~i;
    } else if (RULE == 2) {
        key = order[a] * V + order[b];
    }
    atomicMax(&best[1], key);
}
