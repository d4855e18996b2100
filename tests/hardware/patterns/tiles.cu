// Transposes of a matrix of 64 x 64 through a tile: the twin of tiles.wgsl.
using u32 = unsigned int;

constexpr u32 WIDTH = 64;

extern "C" __global__ void padded(const u32 *src, u32 *dst) {
    __shared__ u32 cells[1184];
    u32 x = threadIdx.x, y = threadIdx.y, row = TILE + PAD;
    cells[y * row + x] = src[(blockIdx.y * TILE + y) * WIDTH + blockIdx.x * TILE + x];
    __syncthreads();
    dst[(blockIdx.x * TILE + y) * WIDTH + blockIdx.y * TILE + x] = cells[x * row + y];
}

extern "C" __global__ void swizzled(const u32 *src, u32 *dst) {
    __shared__ u32 cells[1184];
    u32 x = threadIdx.x, y = threadIdx.y, place = x ^ y;
    cells[y * TILE + place] = src[(blockIdx.y * TILE + y) * WIDTH + blockIdx.x * TILE + x];
    __syncthreads();
    dst[(blockIdx.x * TILE + y) * WIDTH + blockIdx.y * TILE + x] = cells[x * TILE + place];
}
