// The third of three kernels: each row of weights times the
// values. The whole square is read once more. A workgroup has
// 32 rows and 32 columns of a head's output.
// Constants: HEADS, query heads; KV_HEADS, heads of keys and
// values; SEQ, positions: rows of a head; D, numbers in a value.

__shared__ float tile_p[32][33];
__shared__ float tile_v[32][33];

extern "C" __global__ void __launch_bounds__(32 * 8)
values(const float* __restrict__ probs,
       const float* __restrict__ v,
       float* __restrict__ o) {
    unsigned head = blockIdx.z;  // through the batch
    unsigned kv_head = head / (HEADS / KV_HEADS);
    unsigned first_query = blockIdx.y * 32;
    unsigned column = blockIdx.x * 32 + threadIdx.x;
    float sums[4] = {};
    for (unsigned first = 0; first < SEQ; first += 32) {
        for (unsigned y = threadIdx.y; y < 32; y += 8) {
            float weight = 0.0f;
            float value = 0.0f;
            if (first_query + y < SEQ && first + threadIdx.x < SEQ) {
                weight = probs[(head * SEQ + first_query + y) * SEQ + first + threadIdx.x];
            }
            if (first + y < SEQ && column < D) {
                value = v[(kv_head * SEQ + first + y) * D + column];
            }
            tile_p[y][threadIdx.x] = weight;
            tile_v[y][threadIdx.x] = value;
        }
        __syncthreads();  // the tiles are complete
        for (unsigned j = 0; j < 32; j++) {
            for (unsigned i = 0; i < 4; i++) {
                sums[i] += tile_p[threadIdx.y + 8 * i][j] * tile_v[j][threadIdx.x];
            }
        }
        __syncthreads();  // nobody reads them any more
    }
    for (unsigned i = 0; i < 4; i++) {
        unsigned query = first_query + threadIdx.y + 8 * i;
        if (query < SEQ && column < D) {
            o[(head * SEQ + query) * D + column] = sums[i];
        }
    }
}
