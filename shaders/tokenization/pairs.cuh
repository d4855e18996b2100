// A hash table of pairs of tokens: of each place the pair,
// plus 1, and how often it occurs. Places belong to tiles, and
// of each tile the most frequent pair is kept. If another one
// may be that now, the tile is stale, and is listed.
// Constant: PLACES, a power of two.
#pragma once
#include "nothing.cuh"
#include "pair_hash.cuh"

// A word has 64 bits as hints. That of each pair in it is set,
// so a word without a pair's bit does not have the pair. This
// is a pair's bit.
typedef unsigned long long Hints;
__device__ Hints hint_of(unsigned pair) {
    return Hints(1) << (hash_of(pair) >> 26);
}

__device__ Hints hints_of_word(const unsigned* tokens,
                               unsigned first, unsigned end) {
    Hints bits = 0;
    for (unsigned i = first; i + 1 < end; i++) {
        bits |= hint_of(pair_of(tokens[i], tokens[i + 1]));
    }
    return bits;
}

struct Pairs {
    static constexpr unsigned TILE = 256;  // places of a tile
    // So many places are tried.
    static constexpr unsigned TRIES = 1024;
    const uint2* tile_best;
    unsigned* pairs;
    unsigned* stale;
    unsigned* trouble;

    // The place of a pair, which takes a free one if it has
    // none; NOTHING if there is no room.
    __device__ unsigned place_of(unsigned pair) const {
        unsigned place = hash_of(pair);
        for (unsigned tries = 0; tries < TRIES; tries++) {
            place &= PLACES - 1;
            unsigned* at = pairs + 2 * place;
            unsigned held = *(volatile unsigned*)at;
            if (held == 0) {
                held = atomicCAS(at, 0u, pair + 1);
                held = held == 0 ? pair + 1 : held;
            }
            if (held == pair + 1) {
                return place;
            }
            place++;
        }
        atomicExch(&trouble[0], 3u);
        return NOTHING;
    }

    // Lists the tile of a place, unless it is listed already.
    __device__ void make_stale(unsigned place) const {
        unsigned tile = place / TILE;
        unsigned flag = 1 + PLACES / TILE + tile;
        if (atomicExch(&stale[flag], 1u) == 0) {
            stale[1 + atomicAdd(&stale[0], 1u)] = tile;
        }
    }

    // The pair occurs so many times more.
    __device__ void add(unsigned pair, unsigned times) const {
        unsigned place = place_of(pair);
        if (place == NOTHING) {
            return;
        }
        unsigned* count = pairs + 2 * place + 1;
        unsigned before = atomicAdd(count, times);
        if (before + times >= tile_best[place / TILE].x) {
            make_stale(place);
        }
    }

    // The pair occurs so many times less.
    __device__ void take(unsigned pair, unsigned times) const {
        unsigned place = place_of(pair);
        if (place == NOTHING) {
            return;
        }
        unsigned* count = pairs + 2 * place + 1;
        unsigned before = atomicSub(count, times);
        if (before >= tile_best[place / TILE].x) {
            make_stale(place);
        }
    }

    // The pair does not occur any more.
    __device__ void clear(unsigned pair) const {
        unsigned place = place_of(pair);
        if (place != NOTHING) {
            pairs[2 * place + 1] = 0;
            make_stale(place);
        }
    }
};
