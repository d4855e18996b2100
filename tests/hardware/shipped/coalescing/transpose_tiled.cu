// The twin of shaders/coalescing/transpose_tiled.wgsl.
constexpr unsigned TILE = 32, WARPS = 8;

extern "C" __global__ void kernel(const float *src, float *dst) {
    __shared__ float cells[TILE][32];
    unsigned lane = threadIdx.x;
    for (unsigned row = threadIdx.y; row < TILE; row += WARPS) {
        cells[row][lane] = src[(blockIdx.y * TILE + row) * COLS + blockIdx.x * TILE + lane];
    }
    __syncthreads();
    for (unsigned row = threadIdx.y; row < TILE; row += WARPS) {
        dst[(blockIdx.x * TILE + row) * ROWS + blockIdx.y * TILE + lane] = cells[lane][row];
    }
}
