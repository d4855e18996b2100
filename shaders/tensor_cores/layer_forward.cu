// A layer, forward, on tensor cores: rows times the layer's
// matrix, plus the bias, which is the matrix's last row. Every
// layer but the last sets negative results to 0.
// Constants: M, a rank's rows; N and K, the numbers in a row;
// RANKS, on this device; LAYERS; HELD, the layers that
// `weights` has.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of h in 128 x 64; b_map, of the weights in
// 64 x 64; c_map, of h in 64 x 64.
#include "layer.cuh"

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
layer_forward(const unsigned* layer, const f16* weights, f16*,
              const __grid_constant__ TensorMap a_map,
              const __grid_constant__ TensorMap b_map,
              const __grid_constant__ TensorMap c_map) {
    unsigned now = layer[0];
    bool is_last = now + 1 == LAYERS;
    auto first_of = [now](unsigned rank) {
        return (rank * HELD + now % HELD) * (K + 1);
    };
    auto origins = [now, first_of](unsigned rank) -> Origins {
        unsigned level = rank * (LAYERS + 1) + now;
        return {level * M, first_of(rank), (level + 1) * M};
    };
    auto finish = [=](float (&sums)[128], const Tile& tile,
                      unsigned) {
        size_t last = first_of(tile.rank) + K;
        const f16* bias = weights + last * N + tile.column
                          + threadIdx.x % 4 * 2;
        #pragma unroll
        for (unsigned j = 0; j < BN / 8; j++) {
            #pragma unroll
            for (unsigned i = 0; i < 4; i++) {
                float sum = sums[4 * j + i]
                            + half_float(bias[8 * j + i % 2]);
                sums[4 * j + i] =
                    is_last ? sum : fmaxf(sum, 0.0f);
            }
        }
    };
    multiply_layer<false, true, false>(
        a_map, b_map, c_map, origins, finish,
        [](float (&)[128], const Tile&, unsigned) {});
}
