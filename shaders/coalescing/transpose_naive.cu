// Transpose, directly: a warp loads part of a row and stores it
// as part of a column.
// Each workgroup transposes one tile of 32 x 32 elements; each
// of its 8 warps takes 4 rows of the tile.
// Constants: ROWS and COLS of src, multiples of 32.

constexpr unsigned TILE = 32;
constexpr unsigned WARPS = 8;

extern "C" __global__ void
transpose_naive(const float* __restrict__ src,
                float* __restrict__ dst) {
    unsigned lane = threadIdx.x;  // 32 along x are one warp
    for (unsigned row = threadIdx.y; row < TILE; row += WARPS) {
        unsigned x = blockIdx.x * TILE + lane;
        unsigned y = blockIdx.y * TILE + row;
        // Neighbouring lanes: 1 element apart.
        float value = src[y * COLS + x];
        // Neighbouring lanes: ROWS elements apart.
        dst[x * ROWS + y] = value;
    }
}
