// C = A B with one thread for each element of C. Neighbouring
// threads take neighbouring rows.
// So a warp loads a column of A and stores columns of C: the
// elements of its threads are whole rows apart.
// Constants: M, the rows of A and C; N, the columns of B and C;
// K, the columns of A and rows of B.

constexpr unsigned BLOCK = 16;  // a block is 16 x 16 threads

extern "C" __global__ void
row(const float* __restrict__ a, const float* __restrict__ b,
    float* __restrict__ c) {
    unsigned row = blockIdx.x * BLOCK + threadIdx.x;
    unsigned column = blockIdx.y * BLOCK + threadIdx.y;
    if (row < M && column < N) {
        float sum = 0.0f;
        for (unsigned k = 0; k < K; k++) {
            sum += a[row * K + k] * b[k * N + column];
        }
        c[row * N + column] = sum;
    }
}
