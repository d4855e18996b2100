// The sum of the values, weighted by a softmax: one tile more.
// For each row the greatest score so far, the denominator and
// the weighted sum are kept in memory, and each launch adds the
// row's next TILE scores to them. A lane has one column of v.
// Constants: ROWS of scores; COLS, the scores in a row and the
// rows of v; HEAD, the columns of v and the workgroup size;
// TILE, the scores of a tile.
// __expf is the hardware's approximation of the exponential.

// A score that takes no part. A row begins with it.
constexpr float MASKED = -1.0e38f;

// done: the row's tiles so far; grew: in how many m grew.
extern "C" __global__ void __launch_bounds__(HEAD)
running(const float* __restrict__ x,
        const float* __restrict__ v,
        float* __restrict__ m,
        float* __restrict__ d,
        float* __restrict__ o,
        unsigned* __restrict__ done,
        unsigned* __restrict__ grew) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    unsigned tile = done[row];
    unsigned first = tile * TILE;
    unsigned end = min(first + TILE, unsigned(COLS));

    float old_max = MASKED;
    float sum = 0.0f;
    float weighted = 0.0f;
    unsigned grown = 0;
    if (tile > 0) {
        old_max = m[row];
        sum = d[row];
        weighted = o[row * HEAD + local];
        grown = grew[row];
    }
    float new_max = old_max;
    for (unsigned j = first; j < end; j++) {
        new_max = fmaxf(new_max, x[row * COLS + j]);
    }

    // Both sums were taken with the old maximum.
    float factor = __expf(old_max - new_max);
    sum *= factor;
    weighted *= factor;
    for (unsigned j = first; j < end; j++) {
        float weight = __expf(x[row * COLS + j] - new_max);
        sum += weight;
        weighted += weight * v[j * HEAD + local];
    }

    o[row * HEAD + local] = weighted;
    __syncthreads();  // all lanes have read what lane 0 writes
    if (local == 0) {
        m[row] = new_max;
        d[row] = sum;
        grew[row] = grown + (new_max > old_max ? 1 : 0);
        // After its last tile, the row may begin again.
        done[row] = end == COLS ? 0 : tile + 1;
    }
}
