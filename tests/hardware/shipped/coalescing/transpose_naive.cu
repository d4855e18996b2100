// The twin of shaders/coalescing/transpose_naive.wgsl.
constexpr unsigned TILE = 32, WARPS = 8;

extern "C" __global__ void kernel(const float *src, float *dst) {
    for (unsigned row = threadIdx.y; row < TILE; row += WARPS) {
        unsigned x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + row;
        dst[x * ROWS + y] = src[y * COLS + x];
    }
}
