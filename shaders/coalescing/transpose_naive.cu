// Transpose, directly: a warp loads part of a row and stores it as part of a column.
// Each workgroup turns one tile of 32 x 32 elements; each of its 8 warps takes 4 of the tile's rows.
// From outside: ROWS and COLS, the rows and columns of src; multiples of 32.

constexpr unsigned int TILE = 32;
constexpr unsigned int WARPS = 8;

extern "C" __global__ void transpose_naive(const float* __restrict__ src, float* __restrict__ dst) {
    unsigned int lane = threadIdx.x;    // 32 lanes along x are one warp
    for (unsigned int row = threadIdx.y; row < TILE; row += WARPS) {
        unsigned int x = blockIdx.x * TILE + lane;
        unsigned int y = blockIdx.y * TILE + row;
        float value = src[y * COLS + x];    // neighbouring lanes: 1 element apart
        dst[x * ROWS + y] = value;          // neighbouring lanes: ROWS elements apart
    }
}
