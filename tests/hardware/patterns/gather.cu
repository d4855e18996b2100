// Gathers and scatters: the twin of gather.wgsl.
using u32 = unsigned int;

constexpr u32 LANES = 4096;

__device__ u32 hash(u32 x) {
    x ^= x >> 16;
    x *= 2146121005u;
    x ^= x >> 15;
    x *= 2221713035u;
    return x ^ (x >> 16);
}

__device__ u32 nearby(u32 i) {
    return i / 32 * 32 + hash(i + SEED * LANES) % WINDOW;
}

__device__ u32 id() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void reversed(const u32 *src, u32 *dst) {
    dst[id()] = src[LANES - 1 - id()];
}

extern "C" __global__ void permuted(const u32 *src, u32 *dst) {
    dst[id()] = src[(id() * 1597 + 11) % LANES];
}

extern "C" __global__ void indirect(const u32 *src, const u32 *places, u32 *dst) {
    dst[id()] = src[(places[id()] * 1597 + 11) % LANES];
}

extern "C" __global__ void random1(const u32 *src, u32 *dst) {
    dst[id()] = src[nearby(id())];
}

extern "C" __global__ void random2(const uint2 *src, u32 *dst) {
    uint2 v = src[nearby(id())];
    dst[id()] = v.x + v.y;
}

extern "C" __global__ void random4(const uint4 *src, u32 *dst) {
    uint4 v = src[nearby(id())];
    dst[id()] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void scatter_permuted(const u32 *src, u32 *dst) {
    dst[(id() * 1597 + 11) % LANES] = src[id()];
}

extern "C" __global__ void scatter1(u32 *dst) {
    u32 e = nearby(id());
    dst[e] = e * 3 + 1;
}

extern "C" __global__ void scatter2(uint2 *dst) {
    u32 e = nearby(id());
    dst[e] = uint2{e, e * 3 + 1};
}

extern "C" __global__ void scatter4(uint4 *dst) {
    u32 e = nearby(id());
    dst[e] = uint4{e, e * 3 + 1, e * 5 + 2, e * 7 + 3};
}
