// The maximum of the values of all lanes of a workgroup:
// within each warp, then over the warps' results.
#pragma once
#include "warp.cuh"

// A word for each warp, of which there are 32 at most: each
// lane of a warp takes one of them.
__shared__ float maxima[BLOCK / 32];

__device__ float workgroup_max(float value) {
    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    float warp_result = warp_max(value);
    if (lane == 0) {
        maxima[warp] = warp_result;
    }
    __syncthreads();
    float result = value;
    if (lane < BLOCK / 32) {
        result = maxima[lane];
    }
    return warp_max(result);
}
