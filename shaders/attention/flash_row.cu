// Attention in one launch: a workgroup of 32 lanes has one
// query. It takes 32 keys at a time: a lane computes one score,
// and then each lane adds all 32 values in its columns of o.
// No score leaves the chip. But each query loads all keys and
// values for itself.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, positions: rows of a head; KEYS, keys that count,
// from the first; D, numbers in a query; CAUSAL, 1: no key
// after the query; COLUMNS, columns of o that a lane has: D /
// 32, rounded up.
// __expf is the hardware's approximation of the exponential.

// A score that takes no part. A row with no other gives zeros.
constexpr float MASKED = -1.0e38f;

__shared__ float query[D];
__shared__ float scores[32];
__shared__ float weights[32];

extern "C" __global__ void __launch_bounds__(32)
flash_row(const float* __restrict__ q,
          const float* __restrict__ k,
          const float* __restrict__ v,
          float* __restrict__ o,
          float* __restrict__ lse) {
    unsigned lane = threadIdx.x;
    unsigned head = blockIdx.y;  // through the batch
    unsigned row = head * SEQ + blockIdx.x;
    unsigned kv_row = head / (HEADS / KV_HEADS) * SEQ;
    unsigned seen = CAUSAL == 1 ? min(unsigned(KEYS), blockIdx.x + 1) : KEYS;
    for (unsigned c = lane; c < D; c += 32) {
        query[c] = q[row * D + c];
    }
    __syncthreads();
    float m = MASKED;
    float d = 0.0f;
    float out[COLUMNS] = {};
    for (unsigned first = 0; first < seen; first += 32) {
        unsigned count = min(32u, seen - first);
        if (lane < count) {
            float score = 0.0f;
            for (unsigned c = 0; c < D; c++) {
                score += query[c] * k[(kv_row + first + lane) * D + c];
            }
            scores[lane] = score / sqrtf(D);
        }
        __syncthreads();
        float new_m = m;
        for (unsigned j = 0; j < count; j++) {
            new_m = fmaxf(new_m, scores[j]);
        }
        // The exponential of a score is taken by one lane.
        if (lane < count) {
            weights[lane] = __expf(scores[lane] - new_m);
        }

        // Both sums were taken with the old maximum.
        float factor = __expf(m - new_m);
        d *= factor;
        for (unsigned i = 0; i < COLUMNS; i++) {
            out[i] *= factor;
        }
        m = new_m;
        __syncthreads();
        for (unsigned j = 0; j < count; j++) {
            d += weights[j];
            for (unsigned i = 0; i < COLUMNS; i++) {
                unsigned c = min(lane + 32 * i, unsigned(D - 1));
                out[i] += weights[j] * v[(kv_row + first + j) * D + c];
            }
        }
    }
    float scale = m > MASKED ? 1.0f / d : 0.0f;
    for (unsigned i = 0; i < COLUMNS; i++) {
        unsigned c = lane + 32 * i;
        if (c < D) {
            o[row * D + c] = out[i] * scale;
        }
    }
    if (lane == 0) {
        lse[row] = m > MASKED ? m + __logf(d) : MASKED;
    }
}
