// Kernels of the kinds that people write, compiled to basic.ptx: `python3 compile.py`.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" __global__ void sum(const float* __restrict__ a, float* out, int n) {
    __shared__ float s[256];
    float acc = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) acc += a[i];
    s[threadIdx.x] = acc;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// Each lane goes round as often as its value says: lanes leave at different times.
extern "C" __global__ void collatz(const unsigned* in, unsigned* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = in[i], count = 0;
    while (x != 1) {
        if (x % 2 == 0) x /= 2; else x = 3 * x + 1;
        if (++count == 1000) break;
    }
    steps[i] = count;
}

extern "C" __global__ void transpose(const float* in, float* out, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float as[16][16], bs[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float acc = 0;
    for (int t = 0; t < n; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) acc += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = acc;
}

extern "C" __global__ void row_shares(const float* in, float* out, int columns) {
    int row = blockIdx.x, lane = threadIdx.x;
    float most = __int_as_float(0xff800000);
    for (int c = lane; c < columns; c += 32) most = fmaxf(most, in[row * columns + c]);
    for (int by = 16; by > 0; by /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, by));
    float total = 0;
    for (int c = lane; c < columns; c += 32) total += expf(in[row * columns + c] - most);
    for (int by = 16; by > 0; by /= 2) total += __shfl_down_sync(~0u, total, by);
    total = __shfl_sync(~0u, total, 0);
    for (int c = lane; c < columns; c += 32) out[row * columns + c] = expf(in[row * columns + c] - most) / total;
}

extern "C" __global__ void scan(const int* in, int* out, int n) {
    __shared__ int sums[32];
    int i = threadIdx.x, lane = i % 32, warp = i / 32;
    int value = i < n ? in[i] : 0;
    for (int by = 1; by < 32; by *= 2) {
        int other = __shfl_up_sync(~0u, value, by);
        if (lane >= by) value += other;
    }
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; w++) before += sums[w];
    if (i < n) out[i] = value + before;
}

extern "C" __global__ void histogram(const unsigned char* text, unsigned* counts, int n) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[text[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) if (local[b]) atomicAdd(&counts[b], local[b]);
}

extern "C" __global__ void doubles(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i];
    out[i] = (float)(sqrt(x * x + 2.0) / 3.0 - fabs(x));
}

extern "C" __global__ void hashes(const unsigned* keys, unsigned* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long h = 14695981039346656037ull;
    for (int b = 0; b < 4; b++) {
        h ^= (keys[i] >> (8 * b)) & 0xff;
        h *= 1099511628211ull;
    }
    out[i] = (unsigned)(h >> 32) ^ (unsigned)h;
}

extern "C" __global__ void kinds(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = in[i], y;
    switch (x & 7) {
        case 0: y = x + 1; break;
        case 1: y = x * 3; break;
        case 2: y = -x;
        case 3: y = x ^ 0x55; break;
        case 5: y = x / 7; break;
        case 6: y = x % 11; break;
        default: y = 42;
    }
    out[i] = y;
}

// Loops in loops, left and continued from within.
extern "C" __global__ void nested(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int limit = in[i] & 15, total = 0;
    for (int a = 0; a < limit; a++) {
        if (a == 3) continue;
        for (int b = 0; b < 10; b++) {
            if (b * a > limit) break;
            if ((a + b) % 5 == 4) goto done;
            total += a * b + 1;
        }
        total += 100;
    }
done:
    out[i] = total;
}

extern "C" __global__ void halves(const __half* a, const __half* b, __half* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hfma(a[i], b[i], __float2half(0.5f));
}

extern "C" __global__ void halves2(const __half2* a, const __half2* b, __half2* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hadd2(__hmul2(a[i], b[i]), a[i]);
}

extern "C" __global__ void bfloats(const __nv_bfloat16* a, __nv_bfloat16* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __float2bfloat16(__bfloat162float(a[i]) * 3.0f);
}

extern "C" __global__ void compact(const int* in, int* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && in[i] > 0;
    unsigned votes = __ballot_sync(~0u, keep);
    int lane = threadIdx.x % 32, base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(votes & ((1u << lane) - 1))] = in[i];
}

extern "C" __global__ void dynamic(const float* in, float* out) {
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void local(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int seen[16];
    for (int k = 0; k < 16; k++) seen[k] = k;
    for (int k = 0; k < 16; k++) seen[in[i] + k & 15] += in[(i + k) % n];
    out[i] = seen[in[i] & 15];
}

extern "C" __global__ void vectors(const float4* in, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = in[i];
        out[i] = make_float4(v.w, v.z, v.y, v.x);
    }
}

struct Box { float scale; int shift; double offset; };
extern "C" __global__ void boxed(Box box, const float* in, float* out) {
    int i = threadIdx.x;
    out[i] = in[(i + box.shift) % blockDim.x] * box.scale + (float)box.offset;
}

// The pointers change places.
extern "C" __global__ void swapped(float* a, float* b, int rounds) {
    float *from = a, *to = b;
    for (int r = 0; r < rounds; r++) {
        to[threadIdx.x] = from[threadIdx.x] * 2;
        float* t = from; from = to; to = t;
    }
}

extern "C" __global__ void past(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x - 1] + in[threadIdx.x + 1];
}

__constant__ float weights[4] = {0.5f, 1.0f, 2.0f, 4.0f};
__device__ unsigned total;
extern "C" __global__ void constants(const float* in, float* out) {
    out[threadIdx.x] = in[threadIdx.x] * weights[threadIdx.x % 4];
    if (threadIdx.x == 0) total = 7;
}

// A barrier is missing.
extern "C" __global__ void racy(const float* in, float* out) {
    __shared__ float shared[64];
    shared[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = shared[63 - threadIdx.x];
}

extern "C" __global__ void unwritten(float* out) {
    __shared__ float shared[64];
    if (threadIdx.x > 0) shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = shared[63 - threadIdx.x];
}

// Only half of the block reaches the barrier.
extern "C" __global__ void divergent(float* out) {
    if (threadIdx.x < 32) __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}

extern "C" __global__ void misaligned(const float* in, float2* out) {
    out[threadIdx.x] = *(const float2*)(in + threadIdx.x);
}
