// Elements of A and B. Beyond the edges there are zeros, which
// add nothing to a sum.
#pragma once

__device__ float load_a(const float* a, unsigned row,
                        unsigned k) {
    return row < M && k < K ? a[row * K + k] : 0.0f;
}

__device__ float load_b(const float* b, unsigned k,
                        unsigned column) {
    return k < K && column < N ? b[k * N + column] : 0.0f;
}
