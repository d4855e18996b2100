// Attention, tile by tile, with m, d and o in registers, and 32
// queries a workgroup. A query has 4 lanes, each with every
// fourth column of o. So each key and value that is loaded
// serves twice as many queries, and all lanes have work in each
// phase.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, positions: rows of a head; KEYS, keys that count,
// from the first; D, numbers in a query; CAUSAL, 1: no key
// after the query; COLUMNS, columns of o that a lane has: D /
// 4.
// __expf is the hardware's approximation of the exponential.

// A score that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

// Rows have one word more, so that columns have no conflicts.
__shared__ float tile_q[32 * (D + 1)];
__shared__ float tile_kv[16 * (D + 1)];
__shared__ float scores[32][17];
__shared__ float weights[32][17];

extern "C" __global__ void __launch_bounds__(128)
flash_regs(const float* __restrict__ q,
           const float* __restrict__ k,
           const float* __restrict__ v,
           float* __restrict__ o,
           float* __restrict__ lse) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.y;  // through the batch
    unsigned kv_row = head / (HEADS / KV_HEADS) * SEQ;
    unsigned first_query = blockIdx.x * 32;
    unsigned y = lane / 4;
    unsigned x = lane % 4;
    unsigned query = first_query + y;
    for (unsigned i = lane; i < 32 * D; i += 128) {
        if (first_query + i / D < SEQ) {
            tile_q[i / D * (D + 1) + i % D] = q[(head * SEQ + first_query) * D + i];
        }
    }
    float m = MASKED;
    float d = 0.0f;
    float out[COLUMNS] = {};
    unsigned end = CAUSAL == 1 ? min(unsigned(KEYS), first_query + 32) : KEYS;
    for (unsigned first = 0; first < end; first += 16) {
        unsigned count = min(16u, SEQ - first);
        for (unsigned i = lane; i < count * D; i += 128) {
            tile_kv[i / D * (D + 1) + i % D] = k[(kv_row + first) * D + i];
        }
        __syncthreads();  // the keys are there
        for (unsigned j = x; j < 16; j += 4) {
            float score = MASKED;
            bool hidden = first + j >= KEYS || (CAUSAL == 1 && first + j > query);
            if (query < SEQ && !hidden) {
                score = 0.0f;
                for (unsigned c = 0; c < D; c++) {
                    score += tile_q[y * (D + 1) + c] * tile_kv[j * (D + 1) + c];
                }
                score /= sqrtf(D);
            }
            scores[y][j] = score;
        }
        __syncthreads();  // the scores are there, the keys done
        for (unsigned i = lane; i < count * D; i += 128) {
            tile_kv[i / D * (D + 1) + i % D] = v[(kv_row + first) * D + i];
        }
        float new_m = m;
        for (unsigned j = 0; j < 16; j++) {
            new_m = fmaxf(new_m, scores[y][j]);
        }
        // The exponential of a score is taken by one lane.
        for (unsigned j = x; j < 16; j += 4) {
            weights[y][j] = scores[y][j] > MASKED ? __expf(scores[y][j] - new_m) : 0.0f;
        }

        // Both sums were taken with the old maximum.
        float factor = __expf(m - new_m);
        d *= factor;
        for (unsigned i = 0; i < COLUMNS; i++) {
            out[i] *= factor;
        }
        m = new_m;
        __syncthreads();  // the values and the weights are there
        for (unsigned j = 0; j < count; j++) {
            d += weights[y][j];
            for (unsigned i = 0; i < COLUMNS; i++) {
                out[i] += weights[y][j] * tile_kv[j * (D + 1) + x + 4 * i];
            }
        }
        __syncthreads();  // nobody reads the values any more
    }
    if (query < SEQ) {
        float scale = m > MASKED ? 1.0f / d : 0.0f;
        for (unsigned i = 0; i < COLUMNS; i++) {
            o[(head * SEQ + query) * D + x + 4 * i] = out[i] * scale;
        }
        if (x == 0) {
            lse[head * SEQ + query] = m > MASKED ? m + __logf(d) : MASKED;
        }
    }
}
