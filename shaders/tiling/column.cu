// Against `row`: neighbouring threads take neighbouring
// columns.
// A warp now loads and stores along rows of B and C, and its
// threads want the same element of A.
// Constants: M, the rows of A and C; N, the columns of B and C;
// K, the columns of A and rows of B.

constexpr unsigned BLOCK = 16;  // a block is 16 x 16 threads

extern "C" __global__ void
column(const float* __restrict__ a, const float* __restrict__ b,
       float* __restrict__ c) {
    unsigned row = blockIdx.y * BLOCK + threadIdx.y;
    unsigned column = blockIdx.x * BLOCK + threadIdx.x;
    if (row < M && column < N) {
        float sum = 0.0f;
        for (unsigned k = 0; k < K; k++) {
            sum += a[row * K + k] * b[k * N + column];
        }
        c[row * N + column] = sum;
    }
}
