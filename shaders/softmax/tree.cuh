// Reductions over a workgroup by a tree in shared memory: in
// each turn, half as many lanes take part.
#pragma once

// BLOCK is a power of 2.
__shared__ float partial[BLOCK];

// The maximum of the values of all lanes.
__device__ float tree_max(unsigned local, float value) {
    partial[local] = value;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (local < half) {
            float other = partial[local + half];
            partial[local] = fmaxf(partial[local], other);
        }
    }
    __syncthreads();
    float result = partial[0];
    __syncthreads();  // before the next reduction
    return result;
}

// The sum of the values of all lanes.
__device__ float tree_sum(unsigned local, float value) {
    partial[local] = value;
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (local < half) {
            partial[local] += partial[local + half];
        }
    }
    __syncthreads();
    float result = partial[0];
    __syncthreads();
    return result;
}
