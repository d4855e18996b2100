// Loops whose indices go on from turn to turn: the twin of loops.wgsl.
using u32 = unsigned int;

constexpr u32 LANES = 4096;

__device__ u32 id() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void grid_stride(const u32 *src, u32 *dst) {
    for (u32 i = id(); i < 4 * LANES; i += LANES) {
        dst[i] = src[i] + 1;
    }
}

extern "C" __global__ void carried(const u32 *src, u32 *dst) {
    u32 at = id(), sum = 0;
    for (u32 turn = 0; turn < 8; turn++) {
        sum += src[at];
        at = (at * 5 + 3) % LANES;
    }
    dst[id()] = sum;
}

extern "C" __global__ void chased(const u32 *src, u32 *dst) {
    u32 at = id();
    for (u32 turn = 0; turn < 8; turn++) {
        at = (src[at] * 5 + 3) % LANES;
    }
    dst[id()] = at;
}

extern "C" __global__ void row_sums(const u32 *src, u32 *dst) {
    u32 sum = 0;
    for (u32 k = 0; k < 16; k++) {
        sum += src[id() * 16 + k];
    }
    dst[id()] = sum;
}

extern "C" __global__ void column_sums(const u32 *src, u32 *dst) {
    u32 sum = 0;
    for (u32 k = 0; k < 16; k++) {
        sum += src[k * LANES + id()];
    }
    dst[id()] = sum;
}

extern "C" __global__ void window(const u32 *src, u32 *dst) {
    u32 sum = 0;
    for (u32 k = 0; k < 7; k++) {
        sum += src[id() + k] * (k + 1);
    }
    dst[id()] = sum;
}
