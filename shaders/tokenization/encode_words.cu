// Encodes a text with merges that were learnt before. A lane
// has one byte; the lane of a word's first byte encodes the
// word: of all pairs in it, the one of the lowest rank is
// merged, the leftmost of several, until no pair has a rank.
// A token stays where its first byte is, and its other bytes
// become NOTHING. `pieces` is how many tokens a word became.
// Constants: N, the bytes; V, the tokens that there can be.
constexpr unsigned NOTHING = 0xffffffffu;

// Where the next token is, from i on; `end` if there is none.
__device__ unsigned next_token(const unsigned* ids, unsigned i,
                               unsigned end) {
    while (i < end && ids[i] == NOTHING) {
        i++;
    }
    return i;
}

extern "C" __global__ void __launch_bounds__(256)
encode_words(const unsigned* __restrict__ wall,
             const unsigned* __restrict__ rank,
             unsigned* __restrict__ ids,
             unsigned* __restrict__ pieces) {
    unsigned start = blockIdx.x * 256 + threadIdx.x;
    if (start >= N) {
        return;
    }
    pieces[start] = 0;
    if (wall[start] == 0) {
        return;
    }
    unsigned end = start + 1;
    while (end < N && wall[end] == 0) {
        end++;
    }
    unsigned tokens = end - start;
    while (true) {
        unsigned lowest = NOTHING;
        unsigned best = start;
        unsigned left = start;
        unsigned right = next_token(ids, left + 1, end);
        while (right < end) {
            unsigned r = rank[ids[left] * V + ids[right]];
            if (r < lowest) {
                lowest = r;
                best = left;
            }
            left = right;
            right = next_token(ids, left + 1, end);
        }
        if (lowest == NOTHING) {
            break;
        }
        ids[next_token(ids, best + 1, end)] = NOTHING;
        ids[best] = 256 + lowest;
        tokens--;
    }
    pieces[start] = tokens;
}
