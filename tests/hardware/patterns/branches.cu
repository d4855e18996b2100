// Lanes of one warp that part: the twin of branches.wgsl.
using u32 = unsigned int;

__device__ u32 id() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void two_arms(const u32 *a, const u32 *b, u32 *dst) {
    u32 i = id();
    if (i % 2 == 0) {
        dst[i] = a[i];
    } else {
        dst[i + 4096] = b[i * 2] * 3;
    }
}

extern "C" __global__ void nested(const u32 *a, const u32 *b, u32 *dst) {
    u32 i = id();
    if (i % 2 == 0) {
        if (i % 3 == 0) {
            dst[i] = a[i * 3];
        } else {
            dst[i + 4096] = b[i * 5] + 1;
        }
    } else if (i % 7 == 0) {
        dst[i] = b[i] + 2;
    }
}

extern "C" __global__ void early_return(const u32 *a, u32 *dst) {
    if (id() >= 4000 - 16) {
        return;
    }
    dst[id()] = a[id()] + 1;
}

extern "C" __global__ void own_turns(const u32 *a, u32 *dst) {
    u32 sum = 0;
#pragma unroll 1
    for (u32 k = 0; k < id() % 11; k++) {
        sum += a[id() + k * 256];
    }
    dst[id()] = sum;
}

extern "C" __global__ void three_ways(const u32 *a, const u32 *b, u32 *dst) {
    u32 i = id();
    switch (i % 3) {
    case 0:
        dst[i] = a[i];
        break;
    case 1:
        dst[i + 4096] = b[i * 4] + 1;
        break;
    default:
        dst[i] = a[0] + i;
    }
}
