// The pair at the first place becomes a token. One lane.
#include "add_token.cuh"

extern "C" __global__ void __launch_bounds__(1)
first_pair(const unsigned* __restrict__ best,
           const unsigned* __restrict__ tokens,
           unsigned* __restrict__ turn,
           unsigned* __restrict__ merges,
           unsigned* __restrict__ won,
           unsigned* __restrict__ sizes,
           unsigned* __restrict__ pair) {
    if (best[0] > 0) {
        unsigned place = best[1];
        add_token(tokens[place], tokens[place + 1], best[0],
                  turn, merges, won, sizes, pair);
    }
}
