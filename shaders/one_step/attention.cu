// Causal attention in one launch. A thread has one query of a
// head and goes through the keys up to its own, STEP at a time,
// which its block shares. The softmax is made on the way: if a
// greater score comes, the sums so far are scaled.
// Of all scores only lse, the logarithm of the sum of their
// exponentials, is kept: the way back makes them again.
// Constants: ROWS; TOKENS, rows of a sequence; WIDTH; HEADS;
// HELD, layers that the buffers have; D, numbers of a head;
// STEP, keys that are loaded at a time.

__shared__ float tile_k[STEP][D];
__shared__ float tile_v[STEP][D];

extern "C" __global__ void __launch_bounds__(32)
attention(const unsigned* __restrict__ layer,
          const float* __restrict__ qkv,
          float* __restrict__ o, float* __restrict__ lse) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.x % HEADS;
    unsigned sequence = blockIdx.x / HEADS;
    unsigned first_query = blockIdx.y * 32;
    unsigned query = first_query + lane;
    unsigned start =
        layer[0] % HELD * ROWS + sequence * TOKENS;
    unsigned row = start + query;
    float q[D] = {};
    float out[D] = {};
    if (query < TOKENS) {
        for (unsigned c = 0; c < D; c++) {
            unsigned at = row * 3 * WIDTH + head * D + c;
            q[c] = qkv[at] / sqrtf(D);
        }
    }
    float m = -1.0e38f;
    float sum = 0.0f;
    unsigned end = min(TOKENS, first_query + 32);
    for (unsigned first = 0; first < end; first += STEP) {
        for (unsigned e = lane; e < STEP * D; e += 32) {
            unsigned key = first + e / D;
            unsigned c = e % D;
            if (key < TOKENS) {
                unsigned at =
                    (start + key) * 3 * WIDTH + head * D + c;
                tile_k[e / D][c] = qkv[at + WIDTH];
                tile_v[e / D][c] = qkv[at + 2 * WIDTH];
            }
        }
        __syncthreads();  // keys and values are there
        if (query < TOKENS && first <= query) {
            unsigned count = min(STEP, query + 1 - first);
            float scores[STEP];
            float new_m = m;
            for (unsigned j = 0; j < count; j++) {
                float score = 0.0f;
                for (unsigned c = 0; c < D; c++) {
                    score += q[c] * tile_k[j][c];
                }
                scores[j] = score;
                new_m = fmaxf(new_m, score);
            }
            // Both sums were taken with the old maximum.
            float factor = expf(m - new_m);
            m = new_m;
            sum *= factor;
            for (unsigned c = 0; c < D; c++) {
                out[c] *= factor;
            }
            for (unsigned j = 0; j < count; j++) {
                float weight = expf(scores[j] - m);
                sum += weight;
                for (unsigned c = 0; c < D; c++) {
                    out[c] += weight * tile_v[j][c];
                }
            }
        }
        __syncthreads();  // nobody reads the keys any more
    }
    if (query < TOKENS) {
        for (unsigned c = 0; c < D; c++) {
            o[row * WIDTH + head * D + c] = out[c] / sum;
        }
        lse[row * HEADS + head] = m + logf(sum);
    }
}
