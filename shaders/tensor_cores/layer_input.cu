// The gradient of a layer's input on tensor cores: the gradient
// of its result times the transpose of its matrix, and 0 where
// the layer before set a result to 0. It takes the place of the
// input. The first layer's is not needed.
// Constants: M, a rank's rows; N and K, the numbers in a row;
// RANKS, on this device; LAYERS; HELD, the layers that
// `weights` has.
// Tensor maps, in boxes of rows x columns swizzled over 128
// bytes: a_map, of h in 128 x 64; b_map, of the weights in
// 256 x 64; c_map, of h in 64 x 64.
#include "layer.cuh"

// `sum` where the 16 bits are of a positive number.
__device__ float where_positive(unsigned bits, float sum) {
    return (bits & 0x8000) == 0 && (bits & 0x7fff) != 0 ? sum
                                                        : 0.0f;
}

extern "C" __global__ void
__launch_bounds__(128 * (1 + CONSUMERS), 1)
layer_input(const unsigned* layer, const f16*, f16* h,
            const __grid_constant__ TensorMap a_map,
            const __grid_constant__ TensorMap b_map,
            const __grid_constant__ TensorMap c_map) {
    unsigned now = layer[0];
    if (now == 0) {
        return;
    }
    auto origins = [now](unsigned rank) -> Origins {
        unsigned level = rank * (LAYERS + 1) + now;
        unsigned held = rank * HELD + now % HELD;
        return {(level + 1) * M, held * (N + 1), level * M};
    };
    auto finish = [=](float (&sums)[128], const Tile& tile,
                      unsigned first) {
        // Lane l holds columns 2 (l % 4) and the next one of
        // rows l / 4 and l / 4 + 8 of each eight columns.
        unsigned warp = threadIdx.x % 128 / 32;
        unsigned row = origins(tile.rank).c + first + 16 * warp
                       + threadIdx.x % 32 / 4;
        unsigned column = tile.column + threadIdx.x % 4 * 2;
        const f16* upper = h + (size_t)row * N + column;
        const f16* lower = upper + 8 * N;
        #pragma unroll
        for (unsigned j = 0; j < BN / 8; j++) {
            unsigned two = *(const unsigned*)(upper + 8 * j);
            unsigned below = *(const unsigned*)(lower + 8 * j);
            float* own = sums + 4 * j;
            own[0] = where_positive(two, own[0]);
            own[1] = where_positive(two >> 16, own[1]);
            own[2] = where_positive(below, own[2]);
            own[3] = where_positive(below >> 16, own[3]);
        }
    };
    multiply_layer<false, false, false>(
        a_map, b_map, c_map, origins, finish,
        [](float (&)[128], const Tile&, unsigned) {});
}
