// Atomics of all widths, locks, clocks, lanes that bring the same, memory fences.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" __global__ void wide(unsigned long long* u, double* d, long long* s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&u[0], 1ull << 33);
    atomicAnd(&u[1], ~(1ull << (i & 63)));
    atomicOr(&u[2], 1ull << (i & 63));
    atomicXor(&u[3], 1ull << (i & 31));
    atomicExch(&u[4], 7ull << 40);
    atomicCAS(&u[5], 5ull << 40, 9ull);
    unsigned long long before = atomicAdd(&u[6], 2ull);
    u[8 + i] = before;
    atomicAdd(&d[0], 0.5);
    atomicMin(&s[0], -(long long)i << 32);
    atomicMax(&s[1], (long long)i << 32);
}

extern "C" __global__ void narrow(__half* h, __half2* h2, __nv_bfloat16* b, unsigned short* us) {
    atomicAdd(h + 1, __float2half(1.0f));
    atomicAdd(h2, __floats2half2_rn(1, 2));
    atomicAdd(b + 1, __float2bfloat16(1.0f));
    atomicCAS(us + 1, (unsigned short)3, (unsigned short)(100 + threadIdx.x));
}

extern "C" __global__ void rest(unsigned* u, float* f, unsigned* order) {
    unsigned i = threadIdx.x;
    atomicInc(&u[0], 9);
    atomicDec(&u[1], 9);
    atomicSub(&u[2], 3u);
    atomicMin((int*)&u[3], (int)i - 20);
    atomicMax((int*)&u[4], (int)i - 20);
    atomicAdd(f, 0.25f);
    order[i] = atomicInc(&u[5], 1000);
}

// A maximum of floats by compare and swap.
extern "C" __global__ void float_max(const float* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int old = *out, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= in[i]) break;
        old = atomicCAS(out, assumed, __float_as_int(in[i]));
    } while (old != assumed);
}

// Partial sums of all blocks, added up by the last one.
__device__ unsigned done;
extern "C" __global__ void last_block(const float* in, float* partial, float* out, int n) {
    __shared__ float s[128];
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = 64; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        float sum = 0;
        for (int k = 0; k < gridDim.x; k++) sum += ((volatile float*)partial)[k];
        *out = sum;
    }
}

// Without the fence nothing orders the blocks.
extern "C" __global__ void last_block_unfenced(const float* in, float* partial, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[i];
        if (atomicInc(&done, gridDim.x - 1) == gridDim.x - 1) {
            float sum = 0;
            for (int k = 0; k < gridDim.x; k++) sum += partial[k];
            *out = sum;
        }
    }
}

extern "C" __global__ void same(const int* in, unsigned* any, unsigned* all, unsigned long long* wide_any) {
    int i = threadIdx.x, p;
    any[i] = __match_any_sync(~0u, in[i]);
    all[i] = __match_all_sync(~0u, in[i & ~31], &p) + p;
    wide_any[i] = __match_any_sync(~0u, (unsigned long long)in[i] << 35);
}

extern "C" __global__ void clocks(long long* out, unsigned* where) {
    long long start = clock64();
    unsigned t = clock();
    float x = threadIdx.x;
    for (int i = 0; i < 100; i++) x = x * 1.5f + 2.0f;
    __nanosleep(100);
    out[threadIdx.x] = clock64() - start;
    unsigned sm, warp, lane;
    unsigned long long now;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    where[threadIdx.x] = sm * 1000000 + warp * 100 + lane + (x == 1 ? t + now : 0);
}

extern "C" __global__ void spaces(int* out, const int* __restrict__ in) {
    __shared__ int s[32];
    int own[4];
    s[threadIdx.x] = threadIdx.x;
    own[threadIdx.x & 3] = 5;
    int bits = __isGlobal(out) | __isShared(out) << 1 | __isShared(s) << 2 | __isGlobal(s) << 3 | __isLocal(own) << 4;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + threadIdx.x));
    __threadfence_block();
    __threadfence_system();
    out[threadIdx.x] = bits * 1000 + __ldg(in + threadIdx.x) + ((volatile int*)s)[threadIdx.x] + own[threadIdx.x & 3];
}

// A lock that each lane takes within the loop.
extern "C" __global__ void locked(int* lock, int* count) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            ((volatile int*)count)[0] = ((volatile int*)count)[0] + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// A block that waits for another by atomics that leave the word as it is.
extern "C" __global__ void flags(int* flag, int* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0) {}
            while (atomicOr(flag + 1, 0) == 0) {}
            while (atomicAnd(flag + 2, -1) == 0) {}
            while (atomicMax((unsigned*)flag + 3, 0u) == 0) {}
            out[0] = 7;
        }
    } else if (threadIdx.x < 4) {
        atomicExch(flag + threadIdx.x, 1);
    }
}

extern "C" __global__ void flag_of_nobody(int* flag, int* out) {
    while (atomicAdd(flag, 0) == 0) {}
    out[threadIdx.x] = 1;
}
