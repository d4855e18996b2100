// Sums, maxima and their places.
#include <math_constants.h>

template <int BLOCK> __device__ void halve(volatile float* s, int i) {
    if (BLOCK >= 64) s[i] += s[i + 32];
    if (BLOCK >= 32) s[i] += s[i + 16];
    if (BLOCK >= 16) s[i] += s[i + 8];
    if (BLOCK >= 8) s[i] += s[i + 4];
    if (BLOCK >= 4) s[i] += s[i + 2];
    if (BLOCK >= 2) s[i] += s[i + 1];
}

// With a template, unrolled, and volatile in the last warp, as before lanes were independent.
template <int BLOCK> __global__ void unrolled(const float* in, float* out, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK * 2 + t;
    float sum = 0;
    while (i < n) {
        sum += in[i];
        if (i + BLOCK < n) sum += in[i + BLOCK];
        i += BLOCK * 2 * gridDim.x;
    }
    s[t] = sum;
    __syncthreads();
    if (BLOCK >= 256) {
        if (t < 128) s[t] += s[t + 128];
        __syncthreads();
    }
    if (BLOCK >= 128) {
        if (t < 64) s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32) halve<BLOCK>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}
template __global__ void unrolled<256>(const float*, float*, int);

__device__ float warp_sum(float x) {
    for (int k = 16; k > 0; k >>= 1) x += __shfl_down_sync(~0u, x, k);
    return x;
}

extern "C" __global__ void shuffled(const float* in, float* out, int n) {
    __shared__ float parts[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = warp_sum(sum);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    if (threadIdx.x < 32) sum = warp_sum(sum);
    if (threadIdx.x == 0) atomicAdd(out, sum);
}

extern "C" __global__ void vectors(const float4* in, float* out, int n) {
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        float4 v = __ldg(in + i);
        sum += v.x + v.y + v.z + v.w;
    }
    sum = warp_sum(sum);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}

extern "C" __global__ void argmax(const float* in, int* out, int n) {
    __shared__ float best[8];
    __shared__ int where[8];
    float x = -CUDART_INF_F;
    int at = -1;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (in[i] > x) x = in[i], at = i;
    for (int k = 16; k > 0; k >>= 1) {
        float y = __shfl_xor_sync(~0u, x, k);
        int other = __shfl_xor_sync(~0u, at, k);
        if (y > x || (y == x && other < at)) x = y, at = other;
    }
    if ((threadIdx.x & 31) == 0) best[threadIdx.x / 32] = x, where[threadIdx.x / 32] = at;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            if (best[w] > best[0] || (best[w] == best[0] && where[w] < where[0])) best[0] = best[w], where[0] = where[w];
        *out = where[0];
    }
}

// The planted mistake: no barrier between the halves.
extern "C" __global__ void no_barrier(const float* in, float* out) {
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1)
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    if (threadIdx.x == 0) *out = s[0];
}

// The barrier is within the condition.
extern "C" __global__ void barrier_in_branch(const float* in, float* out) {
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1)
        if (threadIdx.x < k) {
            s[threadIdx.x] += s[threadIdx.x + k];
            __syncthreads();
        }
    if (threadIdx.x == 0) *out = s[0];
}

// A shuffle in a branch that its mask does not match.
extern "C" __global__ void shuffle_in_branch(const float* in, float* out) {
    float x = in[threadIdx.x];
    if (threadIdx.x < 16) x += __shfl_down_sync(~0u, x, 16);
    out[threadIdx.x] = x;
}

// Threads beyond n write and return; the others meet at a barrier, for which these are not waited.
extern "C" __global__ void leaves_early(float* out, float* late, int n) {
    __shared__ float s[128];
    if (threadIdx.x >= n) {
        late[threadIdx.x - n] += 1;
        return;
    }
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}

// Lanes that break out of the loop miss its barrier, and meet the others at the next one.
extern "C" __global__ void breaks_out(float* out) {
    __shared__ float s[32];
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x < i) break;
        __syncthreads();
    }
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
