// What the three passes of attention's backward share.
#pragma once

// Rows of Q in a tile, and tiles of a head.
constexpr unsigned BQ = 64;
constexpr unsigned Q_TILES = (S + BQ - 1) / BQ;
constexpr unsigned ALL_HEADS = BATCH * HEADS;
constexpr unsigned SHARERS = HEADS / KV_HEADS;

// What a tile's rows need besides dO and Q: 64 logarithms (of
// base 2) of the sums of powers, then 64 numbers rowsum(dO∘O).
constexpr unsigned STATS = 2 * BQ;

// dQ is summed in f32, in the order in which the tensor cores
// deal sums out: a tile's halves of D / 2 columns, one for each
// warpgroup; of a half, the 4 numbers of each of 128 threads,
// the next 4, and so on.
constexpr unsigned DQ_HALF = BQ * D / 2;

constexpr float LOG2_E = 1.4426950408889634f;
constexpr float ROOT = D == 64 ? 0.125f : 0.08838834764831845f;
constexpr float INFINITE =
    __builtin_bit_cast(float, 0x7f800000);
