// The mean of the rows of v, weighted by the softmax of a row
// of scores: a workgroup has one row, and takes its scores in
// tiles. A lane has one column of v.
// Whenever the greatest score so far grows, the denominator and
// the weighted sum are scaled to it. So each score is loaded
// once, and the row's weights are never stored.
// Constants: ROWS of scores; COLS, the scores in a row and the
// rows of v; HEAD, the columns of v and the workgroup size;
// TILE, the scores of a tile.
// __expf is the hardware's approximation of the exponential.

// A score that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

__shared__ float scores[TILE];
__shared__ float weights[TILE];

extern "C" __global__ void __launch_bounds__(HEAD)
weighted(const float* __restrict__ x,
         const float* __restrict__ v,
         float* __restrict__ m,
         float* __restrict__ d,
         float* __restrict__ y) {
    unsigned local = threadIdx.x;
    unsigned row = blockIdx.x + blockIdx.y * gridDim.x;
    if (row >= ROWS) {
        return;
    }
    float row_max = MASKED;
    float row_sum = 0.0f;
    float weighted = 0.0f;
    for (unsigned first = 0; first < COLS; first += TILE) {
        unsigned count = min(unsigned(TILE), COLS - first);
        for (unsigned j = local; j < count; j += HEAD) {
            scores[j] = x[row * COLS + first + j];
        }
        __syncthreads();
        float new_max = row_max;
        for (unsigned j = 0; j < count; j++) {
            new_max = fmaxf(new_max, scores[j]);
        }
        // The exponential of a score is taken by one lane.
        for (unsigned j = local; j < count; j += HEAD) {
            weights[j] = __expf(scores[j] - new_max);
        }

        // Both sums were taken with the old maximum.
        float factor = __expf(row_max - new_max);
        row_sum *= factor;
        weighted *= factor;
        row_max = new_max;
        __syncthreads();
        for (unsigned j = 0; j < count; j++) {
            row_sum += weights[j];
            weighted += weights[j] * v[(first + j) * HEAD + local];
        }
    }

    float scale = row_max > MASKED ? 1.0f / row_sum : 0.0f;
    y[row * HEAD + local] = weighted * scale;
    if (local == 0) {
        m[row] = row_max;
        d[row] = row_sum;
    }
}
