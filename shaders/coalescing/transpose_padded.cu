// Transpose through a padded tile: each row of the tile is PAD
// elements longer. They are never used. Each row begins PAD
// banks further on than the row before.
// Constants: ROWS and COLS of src, multiples of 32; PAD.

constexpr unsigned TILE = 32;
constexpr unsigned WARPS = 8;

extern "C" __global__ void
transpose_padded(const float* __restrict__ src,
                 float* __restrict__ dst) {
    // With PAD 1, 32 rows of 33.
    __shared__ float cells[TILE][TILE + PAD];
    unsigned lane = threadIdx.x;  // 32 along x are one warp
    for (unsigned row = threadIdx.y; row < TILE; row += WARPS) {
        unsigned x = blockIdx.x * TILE + lane;
        unsigned y = blockIdx.y * TILE + row;
        float value = src[y * COLS + x];  // a row of src
        cells[row][lane] = value;  // a row of the tile
    }
    // What a warp reads next, other warps have written.
    __syncthreads();
    for (unsigned row = threadIdx.y; row < TILE; row += WARPS) {
        unsigned x = blockIdx.y * TILE + lane;
        unsigned y = blockIdx.x * TILE + row;
        float value = cells[lane][row];  // a column of the tile
        dst[y * ROWS + x] = value;  // a row of dst
    }
}
