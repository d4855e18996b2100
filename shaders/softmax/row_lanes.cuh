// The sum of the values of the LANES lanes that share a row.
// LANES is a power of 2, and 32 at most: they are of one warp.
#pragma once

__device__ float row_lanes_sum(float value) {
    for (unsigned bit = 1; bit < LANES; bit *= 2) {
        value += __shfl_xor_sync(0xffffffff, value, bit);
    }
    return value;
}
