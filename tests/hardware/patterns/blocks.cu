// Blocks of two dimensions on a matrix of 64 x 64: the twin of blocks.wgsl.
using u32 = unsigned int;

constexpr u32 WIDTH = 64;

__device__ uint2 id() {
    return uint2{blockIdx.x * BX + threadIdx.x, blockIdx.y * BY + threadIdx.y};
}

extern "C" __global__ void x_is_column(const u32 *src, u32 *dst) {
    dst[id().y * WIDTH + id().x] = src[id().y * WIDTH + id().x];
}

extern "C" __global__ void x_is_row(const u32 *src, u32 *dst) {
    dst[id().x * WIDTH + id().y] = src[id().x * WIDTH + id().y];
}

extern "C" __global__ void transposed(const u32 *src, u32 *dst) {
    dst[id().x * WIDTH + id().y] = src[id().y * WIDTH + id().x];
}

extern "C" __global__ void five_points(const u32 *src, u32 *dst) {
    u32 at = id().y * WIDTH + id().x;
    u32 sum = src[at];
    if (id().x > 0) {
        sum += src[at - 1];
    }
    if (id().x < WIDTH - 1) {
        sum += src[at + 1];
    }
    if (id().y > 0) {
        sum += src[at - WIDTH];
    }
    if (id().y < WIDTH - 1) {
        sum += src[at + WIDTH];
    }
    dst[at] = sum;
}
