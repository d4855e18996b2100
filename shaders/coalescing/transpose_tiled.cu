// Transpose through a tile: rows become columns in shared
// memory. Loads and stores of global memory both go along rows
// now.
// Constants: ROWS and COLS of src, multiples of 32.

constexpr unsigned TILE = 32;
constexpr unsigned WARPS = 8;

extern "C" __global__ void
transpose_tiled(const float* __restrict__ src,
                float* __restrict__ dst) {
    __shared__ float cells[32][32];
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
