// All three gradients in one launch. A workgroup has 16 keys of
// a head, and takes the queries of all heads that read them, 8
// at a time. Nobody else writes its rows of d_k and d_v. But all
// workgroups of a head add to the same rows of d_q: by atomics,
// to rows that are zero at first.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, positions: rows of a head; KEYS, keys that count,
// from the first; D, numbers in a row; CAUSAL, 1: no key after
// the query; COLUMNS, columns of d_k and d_v that a lane has: D
// / 8.
// __expf is the hardware's approximation of the exponential.

// Rows have one word more, so that columns have no conflicts.
__shared__ float tile_k[16 * (D + 1)];
__shared__ float tile_v[16 * (D + 1)];
__shared__ float tile_q[8 * (D + 1)];
__shared__ float tile_d_o[8 * (D + 1)];
__shared__ float weights[16][8];
__shared__ float slopes[16][8];

extern "C" __global__ void __launch_bounds__(128)
d_all(const float* __restrict__ q,
      const float* __restrict__ k,
      const float* __restrict__ v,
      const float* __restrict__ d_o,
      const float* __restrict__ lse,
      const float* __restrict__ delta,
      float* __restrict__ d_k,
      float* __restrict__ d_v,
      float* __restrict__ d_q) {
    unsigned lane = threadIdx.x;
    unsigned kv_head = blockIdx.y;  // through the batch
    unsigned sharing = HEADS / KV_HEADS;
    unsigned first_key = blockIdx.x * 16;
    unsigned y = lane / 8;
    unsigned x = lane % 8;
    unsigned key = first_key + y;
    unsigned kv_start = (kv_head * SEQ + first_key) * D;
    for (unsigned i = lane; i < min(16u, SEQ - first_key) * D; i += 128) {
        tile_k[i / D * (D + 1) + i % D] = k[kv_start + i];
        tile_v[i / D * (D + 1) + i % D] = v[kv_start + i];
    }
    float sum_k[COLUMNS] = {};
    float sum_v[COLUMNS] = {};
    // No query before the keys sees one of them.
    unsigned start = CAUSAL == 1 ? first_key / 8 * 8 : 0;
    for (unsigned head = kv_head * sharing; head < (kv_head + 1) * sharing; head++) {
        for (unsigned first = start; first < SEQ; first += 8) {
            unsigned row = head * SEQ + first;
            unsigned count = min(8u, SEQ - first);
            for (unsigned i = lane; i < count * D; i += 128) {
                tile_q[i / D * (D + 1) + i % D] = q[row * D + i];
                tile_d_o[i / D * (D + 1) + i % D] = d_o[row * D + i];
            }
            __syncthreads();  // the queries are there
            // A lane has one score: its key's and query x's.
            float weight = 0.0f;
            float slope = 0.0f;
            bool hidden = key >= KEYS || (CAUSAL == 1 && key > first + x);
            if (x < count && !hidden) {
                float score = 0.0f;
                for (unsigned c = 0; c < D; c++) {
                    score += tile_q[x * (D + 1) + c] * tile_k[y * (D + 1) + c];
                    slope += tile_d_o[x * (D + 1) + c] * tile_v[y * (D + 1) + c];
                }
                weight = __expf(score / sqrtf(D) - lse[row + x]);
                slope = weight * (slope - delta[row + x]);
            }
            weights[y][x] = weight;
            slopes[y][x] = slope / sqrtf(D);
            __syncthreads();  // the weights and slopes are there
            for (unsigned j = 0; j < count; j++) {
                for (unsigned i = 0; i < COLUMNS; i++) {
                    unsigned at = j * (D + 1) + x + 8 * i;
                    sum_k[i] += slopes[y][j] * tile_q[at];
                    sum_v[i] += weights[y][j] * tile_d_o[at];
                }
            }
            for (unsigned i = lane; i < count * D; i += 128) {
                float sum = 0.0f;
                for (unsigned j = 0; j < min(16u, SEQ - first_key); j++) {
                    sum += slopes[j][i / D] * tile_k[j * (D + 1) + i % D];
                }
                atomicAdd(&d_q[row * D + i], sum);
            }
            __syncthreads();  // nobody reads the queries any more
        }
    }
    if (key < SEQ) {
        for (unsigned i = 0; i < COLUMNS; i++) {
            d_k[(kv_head * SEQ + key) * D + x + 8 * i] = sum_k[i];
            d_v[(kv_head * SEQ + key) * D + x + 8 * i] = sum_v[i];
        }
    }
}
