// Router logits and choice in one kernel. A block has 32
// tokens. A warp takes every eighth chunk of 32 columns, and
// multiplies twice 16 x 16 of x by 16 x 8 of w with `mma.sync`.
// Then the warps' sums are added up, and a token's choice is
// made among E lanes.
// A sum may take its columns in any order, if x and w take them
// in the same. So a lane loads 8 neighbours of a row of x at
// once, and gives 4 of them to each of two instructions. Rows
// of w stand in shared memory in the order that this asks for;
// `ldmatrix` hands out their columns.
// Constants: T, the tokens; D, the columns of x, a multiple of
// 8; E, the experts, 8, 16 or 32; K, the experts that a token
// goes to. x and w are bf16; the weights are the softmax over
// the K that were chosen.
using bf16 = unsigned short;

constexpr unsigned TOKENS = 32, WARPS = 8;
constexpr unsigned TILES = E / 8;  // of 8 experts
// Chunks whose loads are on their way at once.
constexpr unsigned GROUP = 4 / TILES;
constexpr unsigned STRIDE = 32 * WARPS;
constexpr unsigned ALL = 0xffffffffu;
// Larger than any sensible logit. Differences stay finite.
constexpr float LARGEST = 1.0e18f;

// Eight neighbours, or zeros.
__device__ uint4 load8(const bf16* from, bool is_inside) {
    return is_inside ? *(const uint4*)from
                     : make_uint4(0, 0, 0, 0);
}

__device__ void ldmatrix_trans(unsigned (&to)[4],
                               const uint4* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans"
                 ".shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]),
                   "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
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
    __shared__ uint4 staged[WARPS][GROUP][TILES][32];
    __shared__ float parts[WARPS][TOKENS][E];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned first = blockIdx.x * TOKENS;
    unsigned row = lane / 4, quarter = lane % 4;
    // The row of a chunk of w that the lane stages: `ldmatrix`
    // takes lane 8 m + r's as row r of matrix m.
    unsigned own = lane % 8 / 2 * 8 + lane / 16 * 4
                   + lane / 8 % 2 * 2 + lane % 2;
    float sums[2][TILES][4] = {};
    for (unsigned begin = 32 * warp; begin < D;
         begin += GROUP * STRIDE) {
        uint4 rows[GROUP][4], factors[GROUP][TILES];
        #pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            unsigned chunk = begin + g * STRIDE;
            unsigned column = chunk + quarter * 8;
            #pragma unroll
            for (unsigned r = 0; r < 4; r++) {
                // The last block may have fewer tokens.
                size_t token = min(first + row + 8 * r, T - 1);
                rows[g][r] =
                    load8(x + token * D + column, column < D);
            }
            #pragma unroll
            for (unsigned tile = 0; tile < TILES; tile++) {
                size_t from = (chunk + own) * E + 8 * tile;
                factors[g][tile] =
                    load8(w + from, chunk + own < D);
            }
        }
        __syncwarp();
        #pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            #pragma unroll
            for (unsigned tile = 0; tile < TILES; tile++) {
                staged[warp][g][tile][lane] = factors[g][tile];
            }
        }
        __syncwarp();
        #pragma unroll
        for (unsigned g = 0; g < GROUP; g++) {
            #pragma unroll
            for (unsigned tile = 0; tile < TILES; tile++) {
                unsigned b[4];
                ldmatrix_trans(b, &staged[warp][g][tile][lane]);
                #pragma unroll
                for (unsigned m = 0; m < 2; m++) {
                    uint4 upper = rows[g][2 * m];
                    uint4 lower = rows[g][2 * m + 1];
                    multiply_add(sums[m][tile],
                                 {upper.x, lower.x,
                                  upper.y, lower.y},
                                 b[0], b[1]);
                    multiply_add(sums[m][tile],
                                 {upper.z, lower.z,
                                  upper.w, lower.w},
                                 b[2], b[3]);
                }
            }
        }
    }
    #pragma unroll
    for (unsigned i = 0; i < 8 * TILES; i++) {
        unsigned m = i / 4 / TILES, tile = i / 4 % TILES;
        unsigned token = 16 * m + row + i % 4 / 2 * 8;
        unsigned expert = tile * 8 + 2 * quarter + i % 2;
        parts[warp][token][expert] = sums[m][tile][i % 4];
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
