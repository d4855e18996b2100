// The sum of the values of all lanes of a workgroup:
// within each warp, then over the warps' results.
#pragma once
#include "warp.cuh"

// A word for each warp, of which there are 32 at most: each
// lane of a warp takes one of them.
__shared__ float sums[BLOCK / 32];

__device__ float workgroup_sum(float value) {
    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    float warp_result = warp_sum(value);
    if (lane == 0) {
        sums[warp] = warp_result;
    }
    __syncthreads();
    float result = 0.0f;
    if (lane < BLOCK / 32) {
        result = sums[lane];
    }
    return warp_sum(result);
}
