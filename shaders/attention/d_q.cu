// The gradient of the queries. A workgroup has 16 queries, and
// takes keys and values 8 at a time. Nobody else writes its rows
// of d_q. The price: scores and weights are computed once more.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, positions: rows of a head; KEYS, keys that count,
// from the first; D, numbers in a row; CAUSAL, 1: no key after
// the query; COLUMNS, columns of d_q that a lane has: D / 8.
// __expf is the hardware's approximation of the exponential.

// Rows have one word more, so that columns have no conflicts.
__shared__ float tile_q[16 * (D + 1)];
__shared__ float tile_d_o[16 * (D + 1)];
__shared__ float tile_k[8 * (D + 1)];
__shared__ float tile_v[8 * (D + 1)];
__shared__ float slopes[16][8];

extern "C" __global__ void __launch_bounds__(128)
d_q(const float* __restrict__ q,
    const float* __restrict__ k,
    const float* __restrict__ v,
    const float* __restrict__ d_o,
    const float* __restrict__ lse,
    const float* __restrict__ delta,
    float* __restrict__ d_q) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.y;  // through the batch
    unsigned kv_row = head / (HEADS / KV_HEADS) * SEQ;
    unsigned first_query = blockIdx.x * 16;
    unsigned y = lane / 8;
    unsigned x = lane % 8;
    unsigned query = first_query + y;
    unsigned row = head * SEQ + first_query;
    for (unsigned i = lane; i < min(16u, SEQ - first_query) * D; i += 128) {
        tile_q[i / D * (D + 1) + i % D] = q[row * D + i];
        tile_d_o[i / D * (D + 1) + i % D] = d_o[row * D + i];
    }
    float own_lse = 0.0f;
    float own_delta = 0.0f;
    if (query < SEQ) {
        own_lse = lse[row + y];
        own_delta = delta[row + y];
    }
    float sum[COLUMNS] = {};
    unsigned end = CAUSAL == 1 ? min(unsigned(KEYS), first_query + 16) : KEYS;
    for (unsigned first = 0; first < end; first += 8) {
        unsigned count = min(8u, SEQ - first);
        for (unsigned i = lane; i < count * D; i += 128) {
            tile_k[i / D * (D + 1) + i % D] = k[(kv_row + first) * D + i];
            tile_v[i / D * (D + 1) + i % D] = v[(kv_row + first) * D + i];
        }
        __syncthreads();  // keys and values are there
        // A lane has one score: its query's and key x's.
        float slope = 0.0f;
        bool hidden = first + x >= KEYS || (CAUSAL == 1 && first + x > query);
        if (query < SEQ && !hidden) {
            float score = 0.0f;
            for (unsigned c = 0; c < D; c++) {
                score += tile_q[y * (D + 1) + c] * tile_k[x * (D + 1) + c];
                slope += tile_d_o[y * (D + 1) + c] * tile_v[x * (D + 1) + c];
            }
            slope = __expf(score / sqrtf(D) - own_lse) * (slope - own_delta);
        }
        slopes[y][x] = slope / sqrtf(D);
        __syncthreads();  // the slopes are there
        for (unsigned j = 0; j < count; j++) {
            for (unsigned i = 0; i < COLUMNS; i++) {
                sum[i] += slopes[y][j] * tile_k[j * (D + 1) + x + 8 * i];
            }
        }
        __syncthreads();  // nobody reads the keys any more
    }
    if (query < SEQ) {
        for (unsigned i = 0; i < COLUMNS; i++) {
            d_q[(head * SEQ + query) * D + x + 8 * i] = sum[i];
        }
    }
}
