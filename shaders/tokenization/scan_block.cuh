// A scan over the 256 lanes of a block: in each step, a lane
// adds the sum that lies twice as far to the left.
#pragma once

// The sum of the values of this lane and all lanes before it.
__device__ unsigned scan_block(unsigned lane, unsigned value) {
    __shared__ unsigned sums[256];
    sums[lane] = value;
    for (unsigned step = 1; step < 256; step *= 2) {
        __syncthreads();
        unsigned left = 0;
        if (lane >= step) {
            left = sums[lane - step];
        }
        __syncthreads();
        sums[lane] += left;
    }
    return sums[lane];
}
