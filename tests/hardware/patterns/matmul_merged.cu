// The tiled product of matmul.cu as one writes it: the compiler may merge loads that follow each other in a tile.
using u32 = unsigned int;

constexpr u32 N = 64;

extern "C" __global__ void tiled(const u32 *a, const u32 *b, u32 *c) {
    __shared__ u32 tile_a[1024], tile_b[1024];
    u32 x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    u32 sum = 0;
    for (u32 t = 0; t < N; t += TILE) {
        tile_a[y * TILE + x] = a[row * N + t + x];
        tile_b[y * TILE + x] = b[(t + y) * N + col];
        __syncthreads();
        for (u32 k = 0; k < TILE; k++) {
            sum += tile_a[y * TILE + k] * tile_b[k * TILE + x];
        }
        __syncthreads();
    }
    c[row * N + col] = sum;
}
