// Router logits and choice in one kernel. A block has 16
// tokens. A warp takes every fourth chunk of 32 columns, and
// multiplies 16 x 16 of x by 16 x 8 of w with `mma.sync`. Then
// the four warps' sums are added up, and a token's choice is
// made among E lanes.
// A sum may take its columns in any order, if x and w take them
// in the same. So a lane loads 8 neighbours of a row of x at
// once, and gives 4 of them to each of two instructions.
// Constants: T, the tokens; D, the columns of x, a multiple of
// 8; E, the experts, 4, 8, 16 or 32; K, the experts that a
// token goes to. x and w are bf16; the weights are the softmax
// over the K that were chosen.
using bf16 = unsigned short;

constexpr unsigned TOKENS = 16, WARPS = 4;
constexpr unsigned CHUNKS = (D + 31) / 32;
constexpr unsigned TILES = (E + 7) / 8;  // of 8 experts
constexpr unsigned ALL = 0xffffffffu;
// Larger than any sensible logit. Differences stay finite.
constexpr float LARGEST = 1.0e18f;

// Rows row and row + 1 of w in 32 bits.
__device__ unsigned pair(const bf16* w, unsigned row,
                         unsigned expert) {
    if (row >= D || expert >= E) {
        return 0;
    }
    unsigned low = w[row * E + expert];
    unsigned high = w[(row + 1) * E + expert];
    return high << 16 | low;
}

__device__ void multiply_add(float (&sums)[4],
                             const unsigned (&a)[4],
                             unsigned b0, unsigned b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]),
          "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
          "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(32 * WARPS)
route_mma(const bf16* __restrict__ x,
          const bf16* __restrict__ w,
          unsigned* __restrict__ chosen,
          float* __restrict__ weight) {
    __shared__ float parts[WARPS][TOKENS][8 * TILES];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned first = blockIdx.x * TOKENS;
    unsigned row = lane / 4, quarter = lane % 4;
    // The last block may have fewer tokens.
    const bf16* upper = x + (size_t)min(first + row, T - 1) * D;
    const bf16* lower =
        x + (size_t)min(first + row + 8, T - 1) * D;
    float sums[TILES][4] = {};
    #pragma unroll 4
    for (unsigned chunk = warp; chunk < CHUNKS;
         chunk += WARPS) {
        unsigned column = chunk * 32 + quarter * 8;
        uint4 none = make_uint4(0, 0, 0, 0), u = none, l = none;
        if (column < D) {
            u = *(const uint4*)(upper + column);
            l = *(const uint4*)(lower + column);
        }
        unsigned halves[2][4] = {{u.x, l.x, u.y, l.y},
                                 {u.z, l.z, u.w, l.w}};
        #pragma unroll
        for (unsigned tile = 0; tile < TILES; tile++) {
            unsigned expert = tile * 8 + row;
            #pragma unroll
            for (unsigned half = 0; half < 2; half++) {
                unsigned from = column + 4 * half;
                multiply_add(sums[tile], halves[half],
                             pair(w, from, expert),
                             pair(w, from + 2, expert));
            }
        }
    }
    #pragma unroll
    for (unsigned tile = 0; tile < TILES; tile++) {
        #pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            unsigned token = row + i / 2 * 8;
            unsigned expert = tile * 8 + 2 * quarter + i % 2;
            parts[warp][token][expert] = sums[tile][i];
        }
    }
    __syncthreads();

    for (unsigned i = threadIdx.x; i < TOKENS * E;
         i += 32 * WARPS) {
        unsigned token = first + i / E, expert = i % E;
        float logit = 0.0f;
        #pragma unroll
        for (unsigned part = 0; part < WARPS; part++) {
            logit += parts[part][i / E][expert];
        }
        bool is_nan = !(logit == logit);
        logit = is_nan ? -LARGEST
                       : fminf(fmaxf(logit, -LARGEST), LARGEST);
        bool is_free = true;
        float greatest = 0.0f, all = 0.0f;
        float exponentials[K];
        unsigned experts[K];
        #pragma unroll
        for (unsigned place = 0; place < K; place++) {
            // Of equal logits the lower expert comes first.
            float best = is_free ? logit : -2.0f * LARGEST;
            unsigned best_expert = expert;
            #pragma unroll
            for (unsigned step = E / 2; step > 0; step /= 2) {
                float other = __shfl_xor_sync(ALL, best, step);
                unsigned other_expert =
                    __shfl_xor_sync(ALL, best_expert, step);
                bool is_lower = other_expert < best_expert;
                if (other > best
                    || (other == best && is_lower)) {
                    best = other;
                    best_expert = other_expert;
                }
            }
            if (best_expert == expert) {
                is_free = false;
            }
            if (place == 0) {
                greatest = best;
            }
            experts[place] = best_expert;
            exponentials[place] = __expf(best - greatest);
            all += exponentials[place];
        }
        if (expert == 0 && token < T) {
            #pragma unroll
            for (unsigned place = 0; place < K; place++) {
                chosen[token * K + place] = experts[place];
                weight[token * K + place] =
                    exponentials[place] / all;
            }
        }
    }
}
