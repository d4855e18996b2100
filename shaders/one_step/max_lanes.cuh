// The maximum of a number of each thread, in a tree: every
// thread gets it. BLOCK is the block's size, a power of two.
#pragma once

__shared__ float maxima[BLOCK];

__device__ float max_lanes(unsigned lane, float own) {
    __syncthreads();  // nobody reads the one before
    maxima[lane] = own;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            float other = maxima[lane + half];
            maxima[lane] = fmaxf(maxima[lane], other);
        }
    }
    __syncthreads();
    return maxima[0];
}
