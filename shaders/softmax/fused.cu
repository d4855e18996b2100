// Fused softmax: against the sweeps, a workgroup keeps its row. Each lane holds PER_LANE logits in registers.
// What is read is never read again: 8 bytes an element, one load and one store, and no kernel can do with fewer.
// From outside: ROWS and COLS of x and y; BLOCK, the lanes in a workgroup, a power of two; PER_LANE, COLS / BLOCK rounded up.

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

extern "C" __global__ void __launch_bounds__(BLOCK) fused(const float* __restrict__ x, float* __restrict__ y) {
    unsigned int local = threadIdx.x;
    unsigned int row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned int start = row * COLS;
    float cells[PER_LANE];
    float greatest = MASKED;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        unsigned int i = local + k * BLOCK;
        cells[k] = i < COLS ? x[start + i] : MASKED;
        greatest = fmaxf(greatest, cells[k]);
    }
    greatest = all_lanes(local, greatest, [](float a, float b) { return fmaxf(a, b); });

    float sum = 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        cells[k] = __expf(cells[k] - greatest);    // 0 beyond the row's end
        sum += cells[k];
    }
    sum = all_lanes(local, sum, [](float a, float b) { return a + b; });

    float scale = greatest > MASKED ? 1.0f / sum : 0.0f;
    #pragma unroll
    for (unsigned int k = 0; k < PER_LANE; k++) {
        unsigned int i = local + k * BLOCK;
        if (i < COLS) {
            y[start + i] = cells[k] * scale;
        }
    }
}
