// The first of three kernels: each query times each key. The
// whole square of scores goes to memory. A workgroup has 32 × 32
// scores of a head, and loads its rows of q and k in pieces of
// 32 columns.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, positions: rows of a head; KEYS, keys that count,
// from the first; D, numbers in a query and a key; CAUSAL, 1: no
// key after the query; SCALE, 1 / √D.

// A score that takes no part.
constexpr float MASKED = -1.0e38f;

// Rows of 33 words: a column's words are in 32 banks.
__shared__ float tile_q[32][33];
__shared__ float tile_k[32][33];

extern "C" __global__ void __launch_bounds__(32 * 8)
scores(const float* __restrict__ q,
       const float* __restrict__ k,
       float* __restrict__ scores) {
    unsigned head = blockIdx.z;  // through the batch
    unsigned kv_head = head / (HEADS / KV_HEADS);
    unsigned first_query = blockIdx.y * 32;
    unsigned first_key = blockIdx.x * 32;
    float sums[4] = {};
    for (unsigned first = 0; first < D; first += 32) {
        unsigned column = first + threadIdx.x;
        for (unsigned y = threadIdx.y; y < 32; y += 8) {
            float from_q = 0.0f;
            float from_k = 0.0f;
            if (column < D && first_query + y < SEQ) {
                from_q = q[(head * SEQ + first_query + y) * D + column];
            }
            if (column < D && first_key + y < SEQ) {
                from_k = k[(kv_head * SEQ + first_key + y) * D + column];
            }
            tile_q[y][threadIdx.x] = from_q;
            tile_k[y][threadIdx.x] = from_k;
        }
        __syncthreads();  // the tiles are complete
        for (unsigned c = 0; c < 32; c++) {
            for (unsigned i = 0; i < 4; i++) {
                sums[i] += tile_q[threadIdx.y + 8 * i][c] * tile_k[threadIdx.x][c];
            }
        }
        __syncthreads();  // nobody reads them any more
    }
    unsigned key = first_key + threadIdx.x;
    for (unsigned i = 0; i < 4; i++) {
        unsigned query = first_query + threadIdx.y + 8 * i;
        if (query < SEQ && key < SEQ) {
            bool hidden = key >= KEYS || (CAUSAL == 1 && key > query);
            scores[(head * SEQ + query) * SEQ + key] = hidden ? MASKED : sums[i] * SCALE;
        }
    }
}
