// Attention, backward: the gradients of keys and values. A key's
// is the sum of slope * query, a value's that of weight * d_o,
// over the queries that see them: its own and all later ones.
// A thread has one key and its value, and its block shares the
// queries. Nobody else adds to its sums.
// Constants: ROWS; TOKENS, rows of a sequence; WIDTH; HEADS;
// HELD, layers that `qkv` and `lse` have; D, numbers of a head;
// STEP, queries that are loaded at a time.

__shared__ float tile_q[STEP][D];
__shared__ float tile_d[STEP][D];

extern "C" __global__ void __launch_bounds__(32)
key_value_gradient(const unsigned* __restrict__ layer,
                   const float* __restrict__ qkv,
                   const float* __restrict__ lse,
                   const float* __restrict__ delta,
                   const float* __restrict__ d_o,
                   float* __restrict__ d_qkv) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.x % HEADS;
    unsigned sequence = blockIdx.x / HEADS;
    unsigned first_key = blockIdx.y * 32;
    unsigned key = first_key + lane;
    unsigned kept = layer[0] % HELD * ROWS;
    unsigned start = sequence * TOKENS;
    unsigned row = start + key;
    float k[D] = {};
    float v[D] = {};
    float sum_k[D] = {};
    float sum_v[D] = {};
    if (key < TOKENS) {
        unsigned at = (kept + row) * 3 * WIDTH + head * D;
        for (unsigned c = 0; c < D; c++) {
            k[c] = qkv[at + WIDTH + c] / sqrtf(D);
            v[c] = qkv[at + 2 * WIDTH + c];
        }
    }
    // No query before the block's keys sees one of them.
    for (unsigned first = first_key; first < TOKENS;
         first += STEP) {
        for (unsigned e = lane; e < STEP * D; e += 32) {
            unsigned query = start + first + e / D;
            unsigned c = e % D;
            unsigned at = head * D + c;
            if (first + e / D < TOKENS) {
                tile_q[e / D][c] =
                    qkv[(kept + query) * 3 * WIDTH + at];
                tile_d[e / D][c] = d_o[query * WIDTH + at];
            }
        }
        __syncthreads();  // the queries are there
        if (key < TOKENS) {
            unsigned count = min(STEP, TOKENS - first);
            for (unsigned j = 0; j < count; j++) {
                // All threads take the same query, but those
                // whose key comes after it add nothing.
                if (first + j < key) {
                    continue;
                }
                float score = 0.0f;
                float d_weight = 0.0f;
                for (unsigned c = 0; c < D; c++) {
                    score += tile_q[j][c] * k[c];
                    d_weight += tile_d[j][c] * v[c];
                }
                unsigned at = (start + first + j) * HEADS + head;
                float weight =
                    expf(score - lse[kept * HEADS + at]);
                float slope = weight * (d_weight - delta[at]);
                for (unsigned c = 0; c < D; c++) {
                    sum_k[c] += slope * tile_q[j][c];
                    sum_v[c] += weight * tile_d[j][c];
                }
            }
        }
        __syncthreads();  // nobody reads the queries any more
    }
    if (key < TOKENS) {
        for (unsigned c = 0; c < D; c++) {
            unsigned at = row * 3 * WIDTH + head * D + c;
            d_qkv[at + WIDTH] = sum_k[c] / sqrtf(D);
            d_qkv[at + 2 * WIDTH] = sum_v[c];
        }
    }
}
