// The sum of a number of each thread, in a tree: every thread
// gets it. BLOCK is the block's size, a power of two.
#pragma once

__shared__ float parts[BLOCK];

__device__ float sum_lanes(unsigned lane, float own) {
    __syncthreads();  // nobody reads the sum before this one
    parts[lane] = own;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
    }
    __syncthreads();
    return parts[0];
}
