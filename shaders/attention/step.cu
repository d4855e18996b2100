// Attention of a few queries, one tile of keys more. For each
// query the greatest score so far, the denominator and the row
// of o are kept in memory, and each launch adds TILE keys.
// A workgroup has a query, and a lane one column of it.
// Constants: SEQ, keys; D, numbers in a query: the lanes; TILE,
// keys of a tile, at most 64.
// __expf is the hardware's approximation of the exponential.

// A query begins with the mask's score.
constexpr float MASKED = -1.0e38f;

__shared__ float scores[64];

extern "C" __global__ void __launch_bounds__(D)
step(const float* __restrict__ q,
     const float* __restrict__ k,
     const float* __restrict__ v,
     float* __restrict__ m,
     float* __restrict__ d,
     float* __restrict__ o,
     unsigned* __restrict__ done,
     unsigned* __restrict__ grew) {
    unsigned lane = threadIdx.x;
    unsigned row = blockIdx.x;
    unsigned tile = done[row];
    unsigned first = tile * TILE;
    unsigned count = min(unsigned(TILE), SEQ - first);
    for (unsigned j = lane; j < count; j += D) {
        float score = 0.0f;
        for (unsigned c = 0; c < D; c++) {
            score += q[row * D + c] * k[(first + j) * D + c];
        }
        scores[j] = score / sqrtf(D);
    }
    float old_m = MASKED;
    float sum = 0.0f;
    float out = 0.0f;
    unsigned grown = 0;
    if (tile > 0) {
        old_m = m[row];
        sum = d[row];
        out = o[row * D + lane];
        grown = grew[row];
    }
    __syncthreads();
    float new_m = old_m;
    for (unsigned j = 0; j < count; j++) {
        new_m = fmaxf(new_m, scores[j]);
    }

    // Both were made with the old maximum.
    float factor = __expf(old_m - new_m);
    sum *= factor;
    out *= factor;
    for (unsigned j = 0; j < count; j++) {
        float weight = __expf(scores[j] - new_m);
        sum += weight;
        out += weight * v[(first + j) * D + lane];
    }
    o[row * D + lane] = out;
    __syncthreads();  // all lanes have read what lane 0 writes
    if (lane == 0) {
        m[row] = new_m;
        d[row] = sum;
        grew[row] = grown + (new_m > old_m ? 1 : 0);
        // After its last tile, the row may begin again.
        done[row] = first + count == SEQ ? 0 : tile + 1;
    }
}
