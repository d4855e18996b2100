// Elements of two bytes: the twin of halves.wgsl. Halves that are only moved are 16 bits.
using u32 = unsigned int;
using u16 = unsigned short;

__device__ u32 id() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void copy1(const u16 *src, u16 *dst) {
    dst[id() * STRIDE] = src[id() * STRIDE];
}

extern "C" __global__ void copy2(const ushort2 *src, ushort2 *dst) {
    dst[id() * STRIDE] = src[id() * STRIDE];
}

extern "C" __global__ void copy4(const ushort4 *src, ushort4 *dst) {
    dst[id() * STRIDE] = src[id() * STRIDE];
}

extern "C" __global__ void shared_copy(const u16 *src, u16 *dst) {
    __shared__ u16 cells[4096];
    cells[threadIdx.x * STRIDE] = src[id()];
    __syncthreads();
    dst[id()] = cells[(127 - threadIdx.x) * STRIDE];
}
