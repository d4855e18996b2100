// The winner becomes a token: its two parts go to the list of
// merges, and it finds its place in the order of all tokens by
// their bytes. One block; a lane has every 256th token.
// Constants: V, the tokens that there can be; RULE, what the
// winner's key is made of: see break_ties.
#include "bytes_of.cuh"
constexpr unsigned NOTHING = 0xffffffffu;

// Whether token t's bytes come before those of a and b, one
// after the other. The shorter one comes first if it is the
// beginning of the other.
__device__ bool comes_before(const unsigned* merges,
                             const unsigned* sizes, unsigned t,
                             unsigned a, unsigned b) {
    unsigned own = sizes[t];
    unsigned other = sizes[a] + sizes[b];
    for (unsigned j = 0; j < min(own, other); j++) {
        unsigned mine = byte_of(merges, sizes, t, j);
        unsigned theirs = j < sizes[a]
            ? byte_of(merges, sizes, a, j)
            : byte_of(merges, sizes, b, j - sizes[a]);
        if (mine != theirs) {
            return mine < theirs;
        }
    }
    return own <= other;
}

// turn: how many merges there have been; won: how often each
// winner occurred; pair: what is merged in this round.
extern "C" __global__ void __launch_bounds__(256)
new_token(const unsigned* __restrict__ ids,
          const unsigned* __restrict__ best,
          unsigned* __restrict__ turn,
          unsigned* __restrict__ merges,
          unsigned* __restrict__ won,
          unsigned* __restrict__ order,
          unsigned* __restrict__ sizes,
          unsigned* __restrict__ pair) {
    __shared__ unsigned parts[2];
    __shared__ unsigned smaller;
    unsigned lane = threadIdx.x;
    if (best[0] == 0) {
        // There is no pair left to merge.
        if (lane < 2) {
            pair[lane] = NOTHING;
        }
        return;
    }
    unsigned done = turn[0];
    unsigned token = 256 + done;
    unsigned key = best[1];
    if (RULE == 2) {
        for (unsigned t = lane; t < token; t += 256) {
            if (order[t] == key / V) {
                parts[0] = t;
            }
            if (order[t] == key % V) {
                parts[1] = t;
            }
        }
    } else if (lane == 0 && RULE == 1) {
        parts[0] = ids[~key];
        parts[1] = ids[~key + 1];
    } else if (lane == 0) {
        parts[0] = ~key / V;
        parts[1] = ~key % V;
    }
    if (lane == 0) {
        smaller = 0;
    }
    __syncthreads();
    unsigned a = parts[0];
    unsigned b = parts[1];
    // Tokens that come after the new one move up by one.
    for (unsigned t = lane; t < token; t += 256) {
        if (comes_before(merges, sizes, t, a, b)) {
            atomicAdd(&smaller, 1u);
        } else {
            order[t] += 1;
        }
    }
    __syncthreads();
    if (lane == 0) {
        order[token] = smaller;
        sizes[token] = sizes[a] + sizes[b];
        merges[2 * done] = a;
        merges[2 * done + 1] = b;
        won[done] = best[0];
        pair[0] = a;
        pair[1] = b;
        turn[0] = done + 1;
    }
}
