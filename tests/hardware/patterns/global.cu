// Global memory with one, two, three and four words a lane: the twin of global.wgsl.
using u32 = unsigned int;

// WGSL's vec3<u32>: 12 bytes, one every 16. CUDA's own uint3 stands every 12.
struct alignas(16) vec3 {
    u32 x, y, z;
};

__device__ u32 element(u32 i) {
    return (((i / SHARE) % WRAP) * STRIDE + OFFSET) ^ MASK;
}

__device__ bool takes_part(u32 lane) {
    return ((ACTIVE >> (lane % 32)) & 1) == 1;
}

extern "C" __global__ void load1(const u32 *src, u32 *dst) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (takes_part(threadIdx.x)) {
        dst[i] = src[element(i)];
    }
}

extern "C" __global__ void load2(const uint2 *src, u32 *dst) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (takes_part(threadIdx.x)) {
        uint2 v = src[element(i)];
        dst[i] = v.x + v.y;
    }
}

extern "C" __global__ void load3(const vec3 *src, u32 *dst) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (takes_part(threadIdx.x)) {
        vec3 v = src[element(i)];
        dst[i] = v.x + v.y + v.z;
    }
}

extern "C" __global__ void load4(const uint4 *src, u32 *dst) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (takes_part(threadIdx.x)) {
        uint4 v = src[element(i)];
        dst[i] = v.x + v.y + v.z + v.w;
    }
}

extern "C" __global__ void store1(u32 *dst) {
    u32 e = element(blockIdx.x * blockDim.x + threadIdx.x);
    if (takes_part(threadIdx.x)) {
        dst[e] = e * 3 + 1;
    }
}

extern "C" __global__ void store2(uint2 *dst) {
    u32 e = element(blockIdx.x * blockDim.x + threadIdx.x);
    if (takes_part(threadIdx.x)) {
        dst[e] = uint2{e, e * 3 + 1};
    }
}

extern "C" __global__ void store3(vec3 *dst) {
    u32 e = element(blockIdx.x * blockDim.x + threadIdx.x);
    if (takes_part(threadIdx.x)) {
        dst[e] = vec3{e, e * 3 + 1, e * 5 + 2};
    }
}

extern "C" __global__ void store4(uint4 *dst) {
    u32 e = element(blockIdx.x * blockDim.x + threadIdx.x);
    if (takes_part(threadIdx.x)) {
        dst[e] = uint4{e, e * 3 + 1, e * 5 + 2, e * 7 + 3};
    }
}
