// The most frequent pair becomes a token. One block. First it
// finds the most frequent pair of each stale tile anew, with 64
// lanes a tile; then that of all tiles.
// Constants: TILES; M, the merges to learn; LANES, of the
// block; RULE: see ranking.cuh. By rule 1 only the count is
// known here.
#include "add_token.cuh"
#include "nothing.cuh"
#include "ranking.cuh"

constexpr unsigned TILE = 256;  // slots of a tile
constexpr unsigned TEAM = 64;   // lanes that have a tile

// The winner of each team of lanes, for the first of them.
__device__ uint2 tree(const Ranking& ranking, uint2* winners,
                      unsigned lane, uint2 own, unsigned team) {
    winners[lane] = own;
    for (unsigned step = team / 2; step > 0; step /= 2) {
        __syncthreads();
        if (lane % team < step) {
            winners[lane] = ranking.winner(
                winners[lane], winners[lane + step]);
        }
    }
    uint2 first = winners[lane];
    __syncthreads();
    return first;
}

// pairs: two slots each, with the pair, plus 1, and its count,
// or 0 and 0, which never wins;
// stale: how many tiles are, a list of them, and a flag of
// each; tile_best: of each tile the greatest count, and its
// pair; best: the greatest count of all, and where the first of
// the pairs is that have it.
extern "C" __global__ void __launch_bounds__(LANES)
best_pair(const uint4* __restrict__ pairs,
          unsigned* __restrict__ stale,
          uint2* __restrict__ tile_best,
          unsigned* __restrict__ best,
          unsigned* __restrict__ turn,
          unsigned* __restrict__ merges,
          unsigned* __restrict__ won,
          unsigned* __restrict__ sizes,
          unsigned* __restrict__ pair) {
    __shared__ uint2 winners[LANES];
    unsigned lane = threadIdx.x;
    Ranking ranking{merges, sizes};
    unsigned listed = stale[0];
    for (unsigned done = 0; done < listed;
         done += LANES / TEAM) {
        unsigned k = done + lane / TEAM;
        unsigned tile = 0;
        uint2 most = make_uint2(0, 0);
        if (k < listed) {
            tile = stale[1 + k];
            for (unsigned i = lane % TEAM; i < TILE / 2;
                 i += TEAM) {
                uint4 two = pairs[tile * (TILE / 2) + i];
                most = ranking.winner(
                    most, make_uint2(two.y, two.x - 1));
                most = ranking.winner(
                    most, make_uint2(two.w, two.z - 1));
            }
        }
        most = tree(ranking, winners, lane, most, TEAM);
        if (k < listed && lane % TEAM == 0) {
            tile_best[tile] = most;
            stale[1 + TILES + tile] = 0;
        }
    }
    // The winners of tiles are read by other lanes.
    __syncthreads();
    uint2 most = make_uint2(0, 0);
#pragma unroll 4
    for (unsigned tile = lane; tile < TILES; tile += LANES) {
        most = ranking.winner(most, tile_best[tile]);
    }
    most = tree(ranking, winners, lane, most, LANES);
    if (lane > 0) {
        return;
    }
    stale[0] = 0;
    best[0] = turn[0] == M ? 0 : most.x;
    best[1] = NOTHING;
    pair[0] = NOTHING;
    pair[1] = NOTHING;
    if (best[0] > 0 && RULE != 1) {
        add_token(most.y >> 16, most.y & 0xffff, most.x, turn,
                  merges, won, sizes, pair);
    }
}
