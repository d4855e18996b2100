// A pair of tokens below 65,536 as one number, and its hash.
#pragma once

__device__ unsigned pair_of(unsigned a, unsigned b) {
    return (a << 16) | b;
}

__device__ unsigned hash_of(unsigned pair) {
    unsigned hash = ((pair >> 16) * 2654435769u)
        ^ ((pair & 0xffff) * 2246822519u);
    return hash ^ (hash >> 15);
}
