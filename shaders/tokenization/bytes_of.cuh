// A token's bytes, from the merges that made it: from its pair
// down to the part that byte j is in, and on, to a byte.
#pragma once

__device__ unsigned byte_of(const unsigned* merges,
                            const unsigned* sizes, unsigned t,
                            unsigned j) {
    while (t >= 256) {
        unsigned left = merges[2 * (t - 256)];
        if (j < sizes[left]) {
            t = left;
        } else {
            j -= sizes[left];
            t = merges[2 * (t - 256) + 1];
        }
    }
    return t;
}
