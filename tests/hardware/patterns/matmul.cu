// C = A·B of 64 x 64: the twin of matmul.wgsl.
using u32 = unsigned int;

constexpr u32 N = 64;

__device__ void element(const u32 *a, const u32 *b, u32 *c, u32 row, u32 col) {
    u32 sum = 0;
    for (u32 k = 0; k < N; k++) {
        sum += a[row * N + k] * b[k * N + col];
    }
    c[row * N + col] = sum;
}

extern "C" __global__ void x_is_column(const u32 *a, const u32 *b, u32 *c) {
    element(a, b, c, blockIdx.y * TILE + threadIdx.y, blockIdx.x * TILE + threadIdx.x);
}

extern "C" __global__ void x_is_row(const u32 *a, const u32 *b, u32 *c) {
    element(a, b, c, blockIdx.x * TILE + threadIdx.x, blockIdx.y * TILE + threadIdx.y);
}

// Volatile: each load of the source is a load of the machine.
extern "C" __global__ void tiled(const u32 *a, const u32 *b, u32 *c) {
    __shared__ volatile u32 tile_a[1024], tile_b[1024];
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
