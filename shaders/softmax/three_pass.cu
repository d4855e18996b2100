// Softmax in three sweeps over a row: its greatest logit, the sum of its exponentials, its quotients.
// The start. A workgroup has a row, and each sweep reads it from global memory anew: with the store, 16 bytes an element.
// From outside: ROWS and COLS of x and y, and BLOCK, the lanes in a workgroup, a power of two.

constexpr float MASKED = -1.0e38f;    // a logit that takes no part; a row without any other gives zeros

// What `combine` makes of the values of all lanes, over a tree: half as many lanes take part in each turn.
template <class Combine>
__device__ float all_lanes(unsigned int local, float value, Combine combine) {
    __shared__ float partial[BLOCK];
    partial[local] = value;
    for (unsigned int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (local < half) {
            partial[local] = combine(partial[local], partial[local + half]);
        }
    }
    __syncthreads();
    float result = partial[0];
    __syncthreads();    // before the next values take its place
    return result;
}

extern "C" __global__ void __launch_bounds__(BLOCK) three_pass(const float* __restrict__ x, float* __restrict__ y) {
    unsigned int local = threadIdx.x;
    unsigned int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    float greatest = MASKED;
    for (unsigned int i = local; i < COLS; i += BLOCK) {
        greatest = fmaxf(greatest, x[start + i]);
    }
    greatest = all_lanes(local, greatest, [](float a, float b) { return fmaxf(a, b); });

    float sum = 0.0f;
    for (unsigned int i = local; i < COLS; i += BLOCK) {
        sum += __expf(x[start + i] - greatest);
    }
    sum = all_lanes(local, sum, [](float a, float b) { return a + b; });

    float scale = greatest > MASKED ? 1.0f / sum : 0.0f;
    for (unsigned int i = local; i < COLS; i += BLOCK) {
        y[start + i] = __expf(x[start + i] - greatest) * scale;
    }
}
