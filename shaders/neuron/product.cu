// A product of matrices, with steps from number to number that
// its launch chooses: a matrix is read by rows or by columns,
// and so its transpose needs no copy. A thread has one number
// of the result, and says how many products it added.
// Constants: M, rows of the result; N, its columns; K, products
// of each number; A_ROW, from row to row of a; A_K, from
// product to product; B_K, the same of b; B_COLUMN, from column
// to column of b.

extern "C" __global__ void __launch_bounds__(64)
product(const float* __restrict__ a,
        const float* __restrict__ b, float* __restrict__ c,
        unsigned* __restrict__ products) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i >= M * N) {
        return;
    }
    unsigned row = i / N;
    unsigned column = i % N;
    float sum = 0.0f;
    unsigned added = 0;
    for (unsigned k = 0; k < K; k++) {
        sum += a[row * A_ROW + k * A_K]
            * b[k * B_K + column * B_COLUMN];
        added++;
    }
    c[i] = sum;
    products[i] = added;
}
