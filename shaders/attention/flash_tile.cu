// Attention in one launch, tile by tile: a workgroup has 16
// queries. It loads 16 keys, computes 16 × 16 scores, makes
// weights of them, loads 16 values in the place of the keys, and
// adds them to its rows of o. The tile of scores is then written
// over. So each key and value that is loaded serves 16 queries.
// m, d and o are in workgroup memory, where they can be watched.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, positions: rows of a head; KEYS, keys that count,
// from the first; D, numbers in a query; CAUSAL, 1: no key
// after the query.
// __expf is the hardware's approximation of the exponential.

// A score that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

// Rows have one word more, so that columns have no conflicts.
__shared__ float q_tile[16 * (D + 1)];
__shared__ float kv_tile[16 * (D + 1)];
__shared__ float s_tile[256];
__shared__ float m_row[16];
__shared__ float d_row[16];
__shared__ float factor_row[16];
__shared__ float o_tile[16 * D];

extern "C" __global__ void __launch_bounds__(128)
flash_tile(const float* __restrict__ q,
           const float* __restrict__ k,
           const float* __restrict__ v,
           float* __restrict__ o,
           float* __restrict__ lse) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.y;  // through the batch
    unsigned kv_row = head / (HEADS / KV_HEADS) * SEQ;
    unsigned first_query = blockIdx.x * 16;
    unsigned queries = min(16u, SEQ - first_query);
    for (unsigned i = lane; i < 16 * D; i += 128) {
        o_tile[i] = 0.0f;
        if (i / D < queries) {
            q_tile[i / D * (D + 1) + i % D] = q[(head * SEQ + first_query) * D + i];
        }
    }
    if (lane < 16) {
        m_row[lane] = MASKED;
        d_row[lane] = 0.0f;
    }
    for (unsigned first = 0; first < KEYS; first += 16) {
        unsigned count = min(16u, SEQ - first);
        for (unsigned i = lane; i < count * D; i += 128) {
            kv_tile[i / D * (D + 1) + i % D] = k[(kv_row + first) * D + i];
        }
        __syncthreads();  // the keys are there
        for (unsigned i = lane; i < 256; i += 128) {
            unsigned key = first + i % 16;
            float score = MASKED;
            bool hidden = key >= KEYS || (CAUSAL == 1 && key > first_query + i / 16);
            if (i / 16 < queries && !hidden) {
                score = 0.0f;
                for (unsigned c = 0; c < D; c++) {
                    score += q_tile[i / 16 * (D + 1) + c] * kv_tile[i % 16 * (D + 1) + c];
                }
                score /= sqrtf(D);
            }
            s_tile[i] = score;
        }
        __syncthreads();  // the scores are there
        if (lane < 16) {
            // A lane has the row of one query.
            float m = m_row[lane];
            float new_m = m;
            for (unsigned j = 0; j < 16; j++) {
                new_m = fmaxf(new_m, s_tile[lane * 16 + j]);
            }
            // d and o were made with the old maximum.
            float factor = __expf(m - new_m);
            float d = d_row[lane] * factor;
            for (unsigned j = 0; j < 16; j++) {
                float score = s_tile[lane * 16 + j];
                float weight = score > MASKED ? __expf(score - new_m) : 0.0f;
                s_tile[lane * 16 + j] = weight;
                d += weight;
            }
            m_row[lane] = new_m;
            d_row[lane] = d;
            factor_row[lane] = factor;
        }
        __syncthreads();  // the weights are there
        for (unsigned i = lane; i < count * D; i += 128) {
            kv_tile[i / D * (D + 1) + i % D] = v[(kv_row + first) * D + i];
        }
        __syncthreads();  // the values are there
        for (unsigned i = lane; i < 16 * D; i += 128) {
            float sum = o_tile[i] * factor_row[i / D];
            for (unsigned j = 0; j < count; j++) {
                sum += s_tile[i / D * 16 + j] * kv_tile[j * (D + 1) + i % D];
            }
            o_tile[i] = sum;
        }
        __syncthreads();  // nobody reads the tiles any more
    }
    __syncthreads();  // m and d are there, with no tile, too
    for (unsigned i = lane; i < queries * D; i += 128) {
        float scale = m_row[i / D] > MASKED ? 1.0f / d_row[i / D] : 0.0f;
        o[(head * SEQ + first_query) * D + i] = o_tile[i] * scale;
    }
    if (lane < queries) {
        float m = m_row[lane];
        lse[head * SEQ + first_query + lane] = m > MASKED ? m + __logf(d_row[lane]) : MASKED;
    }
}
