// Sums and running sums of 128 elements a block, in shared memory: the twin of tree.wgsl.
using u32 = unsigned int;

constexpr u32 LANES = 128;

__device__ u32 id() {
    return blockIdx.x * LANES + threadIdx.x;
}

extern "C" __global__ void interleaved(const u32 *src, u32 *dst) {
    __shared__ u32 s[256];
    u32 lane = threadIdx.x;
    s[lane] = src[id()];
    __syncthreads();
    for (u32 step = 1; step < LANES; step *= 2) {
        if (lane % (2 * step) == 0) {
            s[lane] += s[lane + step];
        }
        __syncthreads();
    }
    if (lane == 0) {
        dst[blockIdx.x] = s[0];
    }
}

// Volatile, here and below: each access of the source is one of the machine.
extern "C" __global__ void first_lanes(const u32 *src, u32 *dst) {
    __shared__ volatile u32 s[256];
    u32 lane = threadIdx.x;
    s[lane] = src[id()];
    __syncthreads();
    for (u32 step = 1; step < LANES; step *= 2) {
        u32 at = 2 * step * lane;
        if (at < LANES) {
            s[at] += s[at + step];
        }
        __syncthreads();
    }
    if (lane == 0) {
        dst[blockIdx.x] = s[0];
    }
}

extern "C" __global__ void halves(const u32 *src, u32 *dst) {
    __shared__ u32 s[256];
    u32 lane = threadIdx.x;
    s[lane] = src[id()];
    __syncthreads();
    for (u32 step = LANES / 2; step > 0; step /= 2) {
        if (lane < step) {
            s[lane] += s[lane + step];
        }
        __syncthreads();
    }
    if (lane == 0) {
        dst[blockIdx.x] = s[0];
    }
}

extern "C" __global__ void scan(const u32 *src, u32 *dst) {
    __shared__ volatile u32 s[256];
    u32 lane = threadIdx.x, now = 0;
    s[lane] = src[id()];
    __syncthreads();
    for (u32 step = 1; step < LANES; step *= 2) {
        u32 next = LANES - now;
        if (lane >= step) {
            s[next + lane] = s[now + lane] + s[now + lane - step];
        } else {
            s[next + lane] = s[now + lane];
        }
        now = next;
        __syncthreads();
    }
    dst[id()] = s[now + lane];
}

extern "C" __global__ void up_and_down(const u32 *src, u32 *dst) {
    __shared__ volatile u32 s[256];
    u32 lane = threadIdx.x;
    s[lane] = src[id()];
    for (u32 step = 1; step < LANES; step *= 2) {
        __syncthreads();
        u32 at = 2 * step * (lane + 1) - 1;
        if (at < LANES) {
            s[at] += s[at - step];
        }
    }
    __syncthreads();
    if (lane == 0) {
        s[LANES - 1] = 0;
    }
    for (u32 step = LANES / 2; step > 0; step /= 2) {
        __syncthreads();
        u32 at = 2 * step * (lane + 1) - 1;
        if (at < LANES) {
            u32 left = s[at - step];
            u32 sum = s[at];
            s[at - step] = sum;
            s[at] = sum + left;
        }
    }
    __syncthreads();
    dst[id()] = s[lane];
}

extern "C" __global__ void margins(const u32 *src, u32 *dst) {
    __shared__ u32 s[256];
    u32 lane = threadIdx.x, first = blockIdx.x * LANES;
    s[lane] = src[first + lane];
    if (lane < 6) {
        s[LANES + lane] = src[first + LANES + lane];
    }
    __syncthreads();
    u32 sum = 0;
    for (u32 k = 0; k < 7; k++) {
        sum += s[lane + k] * (k + 1);
    }
    dst[first + lane] = sum;
}
