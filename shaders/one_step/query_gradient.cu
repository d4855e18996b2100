// Attention, backward: the gradient of the queries. The weights
// are made again from the scores and lse. With the slope of a
// score, weight * (d_o v - delta), a query's gradient is the sum
// of slope * key.
// A thread has one query, and its block shares the keys.
// Constants: ROWS; TOKENS, rows of a sequence; WIDTH; HEADS;
// HELD, layers that `qkv` and `lse` have; D, numbers of a head;
// STEP, keys that are loaded at a time.

__shared__ float tile_k[STEP][D];
__shared__ float tile_v[STEP][D];

extern "C" __global__ void __launch_bounds__(32)
query_gradient(const unsigned* __restrict__ layer,
               const float* __restrict__ qkv,
               const float* __restrict__ lse,
               const float* __restrict__ delta,
               const float* __restrict__ d_o,
               float* __restrict__ d_qkv) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.x % HEADS;
    unsigned sequence = blockIdx.x / HEADS;
    unsigned first_query = blockIdx.y * 32;
    unsigned query = first_query + lane;
    unsigned kept = layer[0] % HELD * ROWS;
    unsigned start = sequence * TOKENS;
    unsigned row = start + query;
    float q[D] = {};
    float d[D] = {};
    float sum[D] = {};
    float own_lse = 0.0f;
    float own_delta = 0.0f;
    if (query < TOKENS) {
        for (unsigned c = 0; c < D; c++) {
            unsigned at = (kept + row) * 3 * WIDTH + head * D + c;
            q[c] = qkv[at] / sqrtf(D);
            d[c] = d_o[row * WIDTH + head * D + c];
        }
        own_lse = lse[(kept + row) * HEADS + head];
        own_delta = delta[row * HEADS + head];
    }
    unsigned end = min(TOKENS, first_query + 32);
    for (unsigned first = 0; first < end; first += STEP) {
        for (unsigned e = lane; e < STEP * D; e += 32) {
            unsigned key = first + e / D;
            unsigned c = e % D;
            if (key < TOKENS) {
                unsigned at = (kept + start + key) * 3 * WIDTH
                    + head * D + c;
                tile_k[e / D][c] = qkv[at + WIDTH];
                tile_v[e / D][c] = qkv[at + 2 * WIDTH];
            }
        }
        __syncthreads();  // keys and values are there
        if (query < TOKENS && first <= query) {
            unsigned count = min(STEP, query + 1 - first);
            for (unsigned j = 0; j < count; j++) {
                float score = 0.0f;
                float d_weight = 0.0f;
                for (unsigned c = 0; c < D; c++) {
                    score += q[c] * tile_k[j][c];
                    d_weight += d[c] * tile_v[j][c];
                }
                float weight = expf(score - own_lse);
                float slope = weight * (d_weight - own_delta);
                for (unsigned c = 0; c < D; c++) {
                    sum[c] += slope * tile_k[j][c];
                }
            }
        }
        __syncthreads();  // nobody reads the keys any more
    }
    if (query < TOKENS) {
        for (unsigned c = 0; c < D; c++) {
            unsigned at = row * 3 * WIDTH + head * D + c;
            d_qkv[at] = sum[c] / sqrtf(D);
        }
    }
}
