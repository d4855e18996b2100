// Shared memory at random: the twin of shared_random.wgsl.
using u32 = unsigned int;

constexpr u32 LANES = 64;
constexpr u32 MOST = 512;

__device__ u32 hash(u32 x) {
    x ^= x >> 16;
    x *= 2146121005u;
    x ^= x >> 15;
    x *= 2221713035u;
    return x ^ (x >> 16);
}

__device__ u32 element(u32 i) {
    return hash(i + SEED * 65536) % WINDOW;
}

__device__ bool takes_part(u32 i) {
    return hash(i + 77777) % 8 < LIVELY;
}

__device__ u32 id() {
    return blockIdx.x * LANES + threadIdx.x;
}

extern "C" __global__ void load1(u32 *dst) {
    __shared__ u32 words[MOST];
    for (u32 k = threadIdx.x; k < MOST; k += LANES) {
        words[k] = k * 3 + 1;
    }
    __syncthreads();
    if (takes_part(id())) {
        dst[id()] = words[element(id())];
    }
}

extern "C" __global__ void load2(u32 *dst) {
    __shared__ uint2 pairs[MOST];
    for (u32 k = threadIdx.x; k < MOST; k += LANES) {
        pairs[k] = uint2{k, k * 3 + 1};
    }
    __syncthreads();
    if (takes_part(id())) {
        uint2 v = pairs[element(id())];
        dst[id()] = v.x + v.y;
    }
}

extern "C" __global__ void load4(u32 *dst) {
    __shared__ uint4 fours[MOST];
    for (u32 k = threadIdx.x; k < MOST; k += LANES) {
        fours[k] = uint4{k, k * 3 + 1, k * 5 + 2, k * 7 + 3};
    }
    __syncthreads();
    if (takes_part(id())) {
        uint4 v = fours[element(id())];
        dst[id()] = v.x + v.y + v.z + v.w;
    }
}

extern "C" __global__ void store1(u32 *dst) {
    __shared__ u32 words[MOST];
    u32 e = element(id());
    if (takes_part(id())) {
        words[e] = e * 3 + 1;
    }
    __syncthreads();
    if (takes_part(id())) {
        dst[id()] = words[e];
    }
}

extern "C" __global__ void store2(u32 *dst) {
    __shared__ uint2 pairs[MOST];
    u32 e = element(id());
    if (takes_part(id())) {
        pairs[e] = uint2{e, e * 3 + 1};
    }
    __syncthreads();
    if (takes_part(id())) {
        uint2 v = pairs[e];
        dst[id()] = v.x + v.y;
    }
}

extern "C" __global__ void store4(u32 *dst) {
    __shared__ uint4 fours[MOST];
    u32 e = element(id());
    if (takes_part(id())) {
        fours[e] = uint4{e, e * 3 + 1, e * 5 + 2, e * 7 + 3};
    }
    __syncthreads();
    if (takes_part(id())) {
        uint4 v = fours[e];
        dst[id()] = v.x + v.y + v.z + v.w;
    }
}
