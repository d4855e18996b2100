// Transpose through a padded tile: each row of the tile is PAD elements longer.
// They are never used. They move each row PAD banks on from the row before.
// From outside: ROWS and COLS, the rows and columns of src, multiples of 32; PAD.

constexpr unsigned int TILE = 32;
constexpr unsigned int WARPS = 8;

extern "C" __global__ void transpose_padded(const float* __restrict__ src, float* __restrict__ dst) {
    __shared__ float cells[TILE][TILE + PAD];    // with PAD 1, 32 rows of 33
    unsigned int lane = threadIdx.x;    // 32 lanes along x are one warp
    for (unsigned int row = threadIdx.y; row < TILE; row += WARPS) {
        unsigned int x = blockIdx.x * TILE + lane;
        unsigned int y = blockIdx.y * TILE + row;
        float value = src[y * COLS + x];    // a row of src
        cells[row][lane] = value;           // a row of the tile
    }
    // What a warp reads next, other warps have written.
    __syncthreads();
    for (unsigned int row = threadIdx.y; row < TILE; row += WARPS) {
        unsigned int x = blockIdx.y * TILE + lane;
        unsigned int y = blockIdx.x * TILE + row;
        float value = cells[lane][row];     // a column of the tile
        dst[y * ROWS + x] = value;          // a row of dst
    }
}
