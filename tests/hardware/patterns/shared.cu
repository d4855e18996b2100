// Shared memory with one, two, three and four words a lane: the twin of shared.wgsl.
using u32 = unsigned int;

constexpr u32 LANES = 64;
constexpr u32 WORDS = 33 * LANES;
constexpr u32 PAIRS = 17 * LANES;
constexpr u32 THREES = 4 * LANES;
constexpr u32 FOURS = 9 * LANES;

// WGSL's vec3<u32>: 12 bytes, one every 16.
struct alignas(16) vec3 {
    u32 x, y, z;
};

__device__ u32 element(u32 lane) {
    return (((lane / SHARE) % WRAP) * STRIDE) ^ MASK;
}

__device__ bool takes_part(u32 lane) {
    return ((ACTIVE >> (lane % 32)) & 1) == 1;
}

extern "C" __global__ void load1(u32 *dst) {
    __shared__ u32 words[WORDS];
    u32 lane = threadIdx.x;
    for (u32 k = lane; k < WORDS; k += LANES) {
        words[k] = k * 3 + 1;
    }
    __syncthreads();
    if (takes_part(lane)) {
        dst[blockIdx.x * LANES + lane] = words[element(lane)];
    }
}

extern "C" __global__ void load2(u32 *dst) {
    __shared__ uint2 pairs[PAIRS];
    u32 lane = threadIdx.x;
    for (u32 k = lane; k < PAIRS; k += LANES) {
        pairs[k] = uint2{k, k * 3 + 1};
    }
    __syncthreads();
    if (takes_part(lane)) {
        uint2 v = pairs[element(lane)];
        dst[blockIdx.x * LANES + lane] = v.x + v.y;
    }
}

extern "C" __global__ void load3(u32 *dst) {
    __shared__ vec3 threes[THREES];
    u32 lane = threadIdx.x;
    for (u32 k = lane; k < THREES; k += LANES) {
        threes[k] = vec3{k, k * 3 + 1, k * 5 + 2};
    }
    __syncthreads();
    if (takes_part(lane)) {
        vec3 v = threes[element(lane)];
        dst[blockIdx.x * LANES + lane] = v.x + v.y + v.z;
    }
}

extern "C" __global__ void load4(u32 *dst) {
    __shared__ uint4 fours[FOURS];
    u32 lane = threadIdx.x;
    for (u32 k = lane; k < FOURS; k += LANES) {
        fours[k] = uint4{k, k * 3 + 1, k * 5 + 2, k * 7 + 3};
    }
    __syncthreads();
    if (takes_part(lane)) {
        uint4 v = fours[element(lane)];
        dst[blockIdx.x * LANES + lane] = v.x + v.y + v.z + v.w;
    }
}

extern "C" __global__ void store1(u32 *dst) {
    __shared__ u32 words[WORDS];
    u32 lane = threadIdx.x, e = element(lane);
    if (takes_part(lane)) {
        words[e] = e * 3 + 1;
    }
    __syncthreads();
    if (takes_part(lane)) {
        dst[blockIdx.x * LANES + lane] = words[e];
    }
}

extern "C" __global__ void store2(u32 *dst) {
    __shared__ uint2 pairs[PAIRS];
    u32 lane = threadIdx.x, e = element(lane);
    if (takes_part(lane)) {
        pairs[e] = uint2{e, e * 3 + 1};
    }
    __syncthreads();
    if (takes_part(lane)) {
        uint2 v = pairs[e];
        dst[blockIdx.x * LANES + lane] = v.x + v.y;
    }
}

extern "C" __global__ void store4(u32 *dst) {
    __shared__ uint4 fours[FOURS];
    u32 lane = threadIdx.x, e = element(lane);
    if (takes_part(lane)) {
        fours[e] = uint4{e, e * 3 + 1, e * 5 + 2, e * 7 + 3};
    }
    __syncthreads();
    if (takes_part(lane)) {
        uint4 v = fours[e];
        dst[blockIdx.x * LANES + lane] = v.x + v.y + v.z + v.w;
    }
}
