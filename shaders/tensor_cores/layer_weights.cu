// The gradient of a layer's parameters on tensor cores: the
// transpose of its input times the gradient of its result. The
// bias has the input 1: its gradient is the sum of each column,
// which is a product with ones.
// Constants: M and N, the numbers in a row; K, a rank's rows;
// RANKS, on this device; LAYERS; HELD, the layers that `grads`
// has.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map and b_map, of h in 64 x 64; c_map, of the
// gradients in 64 x 64.
#include "layer.cuh"

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
layer_weights(const unsigned* layer, const f16*, f16* grads,
              const __grid_constant__ TensorMap a_map,
              const __grid_constant__ TensorMap b_map,
              const __grid_constant__ TensorMap c_map) {
    unsigned now = layer[0];
    auto origins = [now](unsigned rank) -> Origins {
        unsigned level = rank * (LAYERS + 1) + now;
        unsigned held = rank * HELD + now % HELD;
        return {level * K, (level + 1) * K, held * (M + 1)};
    };
    auto keep = [=](float (&sums)[128], const Tile& tile,
                    unsigned consumer) {
        // All rows have the same sums: these four lanes hold
        // the first.
        if (consumer > 0 || threadIdx.x % 128 >= 4) {
            return;
        }
        size_t row = origins(tile.rank).c + M;
        f16* to = grads + row * N + tile.column
                  + threadIdx.x % 4 * 2;
        #pragma unroll
        for (unsigned j = 0; j < BN / 8; j++) {
            *(unsigned*)(to + 8 * j) =
                pack_half(sums[4 * j], sums[4 * j + 1]);
        }
    };
    multiply_layer<true, true, true>(
        a_map, b_map, c_map, origins,
        [](float (&)[128], const Tile&, unsigned) {}, keep);
}
