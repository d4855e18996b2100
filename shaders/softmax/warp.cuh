// Reductions over a warp: five exchanges, after each of which
// twice as many lanes have been combined. WGSL has these as
// subgroupMax and subgroupAdd.
#pragma once

// The maximum of the values of a warp's lanes.
__device__ float warp_max(float value) {
    for (unsigned bit = 16; bit > 0; bit /= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, bit);
        value = fmaxf(value, other);
    }
    return value;
}

// The sum of the values of a warp's lanes.
__device__ float warp_sum(float value) {
    for (unsigned bit = 16; bit > 0; bit /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, bit);
    }
    return value;
}
