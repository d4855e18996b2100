// Decode, the cache read once: a workgroup has a chunk of the
// cache and all query heads that share it. It loads 16 keys and
// uses them for each head, and then their values.
// Constants: CACHE, keys and values of a head; CHUNK, keys of a
// workgroup; D, numbers in a row; GROUP, query heads that share
// a cache; COLUMNS, columns of o that a lane has of each head: D
// / 64, rounded up.
// __expf is the hardware's approximation of the exponential.

constexpr float MASKED = -1.0e38f;

// Keys, then values. Rows have one word more.
__shared__ float tile[16 * (D + 1)];
__shared__ float query[GROUP * D];
__shared__ float scores[GROUP * 16];
__shared__ float m[GROUP];
__shared__ float d[GROUP];
__shared__ float factor[GROUP];

extern "C" __global__ void __launch_bounds__(64)
decode_group(const float* __restrict__ q,
             const float* __restrict__ k,
             const float* __restrict__ v,
             float* __restrict__ part_m,
             float* __restrict__ part_d,
             float* __restrict__ part_o) {
    unsigned lane = threadIdx.x;
    unsigned cache = blockIdx.y;  // through the batch
    unsigned end = min(unsigned(CACHE), (blockIdx.x + 1) * CHUNK);
    for (unsigned i = lane; i < GROUP * D; i += 64) {
        query[i] = q[cache * GROUP * D + i];
    }
    for (unsigned h = lane; h < GROUP; h += 64) {
        m[h] = MASKED;
        d[h] = 0.0f;
    }
    float out[GROUP * COLUMNS] = {};
    for (unsigned first = blockIdx.x * CHUNK; first < end; first += 16) {
        unsigned count = min(16u, end - first);
        unsigned start = (cache * CACHE + first) * D;
        for (unsigned i = lane; i < count * D; i += 64) {
            tile[i / D * (D + 1) + i % D] = k[start + i];
        }
        __syncthreads();  // the keys are there
        for (unsigned i = lane; i < GROUP * 16; i += 64) {
            if (i % 16 < count) {
                float score = 0.0f;
                for (unsigned c = 0; c < D; c++) {
                    score += query[i / 16 * D + c] * tile[i % 16 * (D + 1) + c];
                }
                scores[i] = score / sqrtf(D);
            }
        }
        __syncthreads();  // the scores are there, the keys done
        for (unsigned i = lane; i < count * D; i += 64) {
            tile[i / D * (D + 1) + i % D] = v[start + i];
        }
        // A lane has the row of a head: m, d, and the weights.
        for (unsigned h = lane; h < GROUP; h += 64) {
            float new_m = m[h];
            for (unsigned j = 0; j < count; j++) {
                new_m = fmaxf(new_m, scores[h * 16 + j]);
            }
            factor[h] = __expf(m[h] - new_m);
            float sum = d[h] * factor[h];
            for (unsigned j = 0; j < count; j++) {
                float weight = __expf(scores[h * 16 + j] - new_m);
                scores[h * 16 + j] = weight;
                sum += weight;
            }
            m[h] = new_m;
            d[h] = sum;
        }
        __syncthreads();  // values, weights and factors are there
        for (unsigned h = 0; h < GROUP; h++) {
            for (unsigned i = 0; i < COLUMNS; i++) {
                unsigned c = lane + 64 * i;
                float sum = out[h * COLUMNS + i] * factor[h];
                if (c < D) {
                    for (unsigned j = 0; j < count; j++) {
                        sum += scores[h * 16 + j] * tile[j * (D + 1) + c];
                    }
                }
                out[h * COLUMNS + i] = sum;
            }
        }
        __syncthreads();  // nobody reads the values any more
    }
    __syncthreads();  // m and d are there, with no key, too
    for (unsigned h = 0; h < GROUP; h++) {
        unsigned slot = (cache * GROUP + h) * gridDim.x + blockIdx.x;
        for (unsigned i = 0; i < COLUMNS; i++) {
            unsigned c = lane + 64 * i;
            if (c < D) {
                part_o[slot * D + c] = out[h * COLUMNS + i];
            }
        }
        if (lane == 0) {
            part_m[slot] = m[h];
            part_d[slot] = d[h];
        }
    }
}
