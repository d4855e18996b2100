// A and B in vectors of four: how a thread loads them, and the
// products of two vectors.
#pragma once

// Threads below each other, and side by side.
constexpr unsigned DOWN = BM / TM;
constexpr unsigned ACROSS = BN / TN;
constexpr unsigned LANES = DOWN * ACROSS;

// A's tile is moved in blocks of 4 x 4, B's in vectors of 4. A
// thread moves so many at most.
constexpr unsigned BLOCKS = BM * BK / 16;
constexpr unsigned BLOCKS_EACH = (BLOCKS + LANES - 1) / LANES;
constexpr unsigned VECTORS = BK * BN / 4;
constexpr unsigned VECTORS_EACH = (VECTORS + LANES - 1) / LANES;

// Four elements of a row of A. Beyond the edges there are
// zeros, which add nothing to a sum. Where the tiles divide the
// matrix there are no edges, and no thread compares.
__device__ float4 load_a(const float* a, unsigned row,
                         unsigned k) {
    const float* from = a + row * K + k;
    constexpr bool HAS_EDGES = M % BM != 0 || K % BK != 0;
    if (K % 4 == 0) {
        bool is_inside = !HAS_EDGES || (row < M && k < K);
        return is_inside ? *(const float4*)from : float4{};
    }
    // Rows begin anywhere in a vector: one element after the
    // other.
    return {row < M && k < K ? from[0] : 0.0f,
            row < M && k + 1 < K ? from[1] : 0.0f,
            row < M && k + 2 < K ? from[2] : 0.0f,
            row < M && k + 3 < K ? from[3] : 0.0f};
}

// Four elements of a row of B.
__device__ float4 load_b(const float* b, unsigned k,
                         unsigned column) {
    const float* from = b + k * N + column;
    constexpr bool HAS_EDGES = N % BN != 0 || K % BK != 0;
    if (N % 4 == 0) {
        bool is_inside = !HAS_EDGES || (k < K && column < N);
        return is_inside ? *(const float4*)from : float4{};
    }
    return {k < K && column < N ? from[0] : 0.0f,
            k < K && column + 1 < N ? from[1] : 0.0f,
            k < K && column + 2 < N ? from[2] : 0.0f,
            k < K && column + 3 < N ? from[3] : 0.0f};
}

__device__ void transpose(float4 (&m)[4]) {
    float4 r0 = m[0], r1 = m[1], r2 = m[2], r3 = m[3];
    m[0] = {r0.x, r1.x, r2.x, r3.x};
    m[1] = {r0.y, r1.y, r2.y, r3.y};
    m[2] = {r0.z, r1.z, r2.z, r3.z};
    m[3] = {r0.w, r1.w, r2.w, r3.w};
}

__device__ void add_product(float4& sum, float a_value,
                            float4 b_row) {
    sum.x += a_value * b_row.x;
    sum.y += a_value * b_row.y;
    sum.z += a_value * b_row.z;
    sum.w += a_value * b_row.w;
}

// Adds all products of four elements of a column of A with four
// of a row of B.
__device__ void add_outer(float4 (&sums)[4], float4 a_column,
                          float4 b_row) {
    add_product(sums[0], a_column.x, b_row);
    add_product(sums[1], a_column.y, b_row);
    add_product(sums[2], a_column.z, b_row);
    add_product(sums[3], a_column.w, b_row);
}

// Stores four sums of a row of C.
__device__ void store_row(float* c, unsigned row,
                          unsigned column, float4 sum) {
    unsigned i = row * N + column;
    if (row < M && column < N) c[i] = sum.x;
    if (row < M && column + 1 < N) c[i + 1] = sum.y;
    if (row < M && column + 2 < N) c[i + 2] = sum.z;
    if (row < M && column + 3 < N) c[i + 3] = sum.w;
}
