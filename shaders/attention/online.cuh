// Softmax of rows whose scores come tile by tile. Of a row are
// kept the maximum, the sum of powers, and the sums of V that
// belong to them.
// A lane has two rows, 8 apart, as the tensor cores deal sums
// out: of each 8 columns two neighbours. Four lanes share a
// row.
#pragma once
#include "rows.cuh"
#include "wgmma.cuh"

// Scores are divided by √D, and powers are of 2: a score's
// factor is log2(e) / √D.
constexpr float SCALE =
    1.4426950408889634f * (D == 64 ? 0.125f
                                   : 0.08838834764831845f);
// The maximum that is kept may be too small by this much, as a
// power of 2: then nothing is rescaled.
constexpr float SLACK = 8;
constexpr float INFINITE = __builtin_bit_cast(float, 0x7f800000);

struct Online {
    float maximum[2] = {-INFINITE, -INFINITE};
    float total[2] = {0, 0};
    float factor[2] = {1, 1};  // for what was summed before
    bool is_rescaled = false;

    // Scores to powers, in place. A tile's first column is
    // `column`; `is_hidden`: some of its scores may not count.
    template <unsigned COUNT>
    __device__ __forceinline__ void weigh(
            float (&scores)[COUNT], unsigned own_row,
            unsigned column, bool is_hidden) {
        if (is_hidden) {
            #pragma unroll
            for (unsigned i = 0; i < COUNT; i++) {
                unsigned at = column + i / 4 * 8
                              + threadIdx.x % 4 * 2 + i % 2;
                unsigned row = own_row + i % 4 / 2 * 8;
                if (at >= S || (CAUSAL && at > row)) {
                    scores[i] = -INFINITE;
                }
            }
        }
        float now[2];
        #pragma unroll
        for (unsigned h = 0; h < 2; h++) {
            float most = maximum[h];
            #pragma unroll
            for (unsigned i = 2 * h; i < COUNT; i += 4) {
                most = fmaxf(most, fmaxf(scores[i],
                                         scores[i + 1]));
            }
            most = fmaxf(most,
                         __shfl_xor_sync(0xffffffff, most, 1));
            most = fmaxf(most,
                         __shfl_xor_sync(0xffffffff, most, 2));
            now[h] = most;
        }
        bool grows = (now[0] - maximum[0]) * SCALE > SLACK
                     || (now[1] - maximum[1]) * SCALE > SLACK;
        is_rescaled = __any_sync(0xffffffff, grows);
        if (is_rescaled) {
            #pragma unroll
            for (unsigned h = 0; h < 2; h++) {
                factor[h] = power_of_2(maximum[h] * SCALE
                                       - origin(now[h]));
                maximum[h] = now[h];
                total[h] *= factor[h];
            }
        }
        #pragma unroll
        for (unsigned h = 0; h < 2; h++) {
            float from = origin(maximum[h]);
            #pragma unroll
            for (unsigned i = 2 * h; i < COUNT; i += 4) {
                scores[i] = power_of_2(
                    fmaf(scores[i], SCALE, -from));
                scores[i + 1] = power_of_2(
                    fmaf(scores[i + 1], SCALE, -from));
                total[h] += scores[i] + scores[i + 1];
            }
        }
    }

    // What is subtracted from scaled scores. A row that has
    // seen none has the maximum -∞, and -∞ - -∞ is no number.
    static __device__ float origin(float maximum) {
        return maximum == -INFINITE ? 0 : maximum * SCALE;
    }

    template <unsigned COUNT>
    __device__ __forceinline__ void rescale(
            float (&sums)[COUNT]) {
        if (!is_rescaled) return;
        #pragma unroll
        for (unsigned i = 0; i < COUNT; i++) {
            sums[i] *= factor[i % 4 / 2];
        }
    }

    // The total of a row from its four lanes.
    __device__ void finish() {
        #pragma unroll
        for (unsigned h = 0; h < 2; h++) {
            total[h] += __shfl_xor_sync(0xffffffff, total[h], 1);
            total[h] += __shfl_xor_sync(0xffffffff, total[h], 2);
        }
    }

    // The rows of O, and their logarithms.
    __device__ __forceinline__ void store(
            const float (&sums)[D / 2], bf16* o, float* lse,
            unsigned head, unsigned own_row) {
        unsigned lane = threadIdx.x % 4;
        #pragma unroll
        for (unsigned h = 0; h < 2; h++) {
            unsigned row = own_row + 8 * h;
            float inverse = 1 / total[h];
            if (lane == 0 && row < S) {
                lse[head * S + row] =
                    (origin(maximum[h]) + log2f(total[h]))
                    * 0.6931471805599453f;
            }
            store_row(o + ((unsigned long long)head * S + row) * D,
                      sums + 2 * h, inverse, row < S);
        }
    }
};
