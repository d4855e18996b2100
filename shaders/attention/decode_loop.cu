// Decode: a workgroup has a chunk of a cache, and all query
// heads that share it. It takes one head after the other.
// Constants: CACHE, keys and values of a head; CHUNK, keys of a
// workgroup; D, numbers in a row; GROUP, query heads that share
// a cache; COLUMNS, columns of o that a lane has of each head: D
// / 64, rounded up.
// __expf is the hardware's approximation of the exponential.

constexpr float MASKED = -1.0e38f;

__shared__ float query[D];
__shared__ float part[16][4];
__shared__ float weights[16];

extern "C" __global__ void __launch_bounds__(64)
decode_loop(const float* __restrict__ q,
            const float* __restrict__ k,
            const float* __restrict__ v,
            float* __restrict__ part_m,
            float* __restrict__ part_d,
            float* __restrict__ part_o) {
    unsigned lane = threadIdx.x;
    unsigned cache = blockIdx.y;  // through the batch
    unsigned end = min(unsigned(CACHE), (blockIdx.x + 1) * CHUNK);
    for (unsigned head = cache * GROUP; head < (cache + 1) * GROUP; head++) {
        for (unsigned c = lane; c < D; c += 64) {
            query[c] = q[head * D + c];
        }
        __syncthreads();
        float m = MASKED;
        float d = 0.0f;
        float out[COLUMNS] = {};
        for (unsigned first = blockIdx.x * CHUNK; first < end; first += 16) {
            unsigned count = min(16u, end - first);
            // A key has 4 lanes, each with a quarter of its columns.
            if (lane / 4 < count) {
                unsigned row = cache * CACHE + first + lane / 4;
                float sum = 0.0f;
                for (unsigned c = lane % 4; c < D; c += 4) {
                    sum += query[c] * k[row * D + c];
                }
                part[lane / 4][lane % 4] = sum;
            }
            __syncthreads();  // all quarters are there
            float new_m = m;
            for (unsigned j = 0; j < count; j++) {
                float score = part[j][0] + part[j][1] + part[j][2] + part[j][3];
                new_m = fmaxf(new_m, score / sqrtf(D));
            }
            if (lane < count) {
                float score = part[lane][0] + part[lane][1] + part[lane][2] + part[lane][3];
                weights[lane] = __expf(score / sqrtf(D) - new_m);
            }
            float factor = __expf(m - new_m);
            d *= factor;
            for (unsigned i = 0; i < COLUMNS; i++) {
                out[i] *= factor;
            }
            m = new_m;
            __syncthreads();  // the weights are there
            for (unsigned j = 0; j < count; j++) {
                unsigned row = cache * CACHE + first + j;
                d += weights[j];
                for (unsigned i = 0; i < COLUMNS; i++) {
                    unsigned c = lane + 64 * i;
                    if (c < D) {
                        out[i] += weights[j] * v[row * D + c];
                    }
                }
            }
        }
        // The sums stay undivided: the other chunks are not in them.
        unsigned slot = head * gridDim.x + blockIdx.x;
        for (unsigned i = 0; i < COLUMNS; i++) {
            unsigned c = lane + 64 * i;
            if (c < D) {
                part_o[slot * D + c] = out[i];
            }
        }
        if (lane == 0) {
            part_m[slot] = m;
            part_d[slot] = d;
        }
        __syncthreads();  // nobody reads the query any more
    }
}
