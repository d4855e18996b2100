// Products of matrices and vectors, and attention.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <math_constants.h>

extern "C" __global__ void gemm_naive(const float* a, const float* b, float* c, int m, int n, int k) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

// Tiles of 16 × 16, with zeros where the matrices end.
extern "C" __global__ void gemm_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float as[16][16], bs[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += 16) {
        as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && col < n ? b[(t + threadIdx.y) * n + col] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) sum = fmaf(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}

// A block of 32 × 32, 4 × 4 in each thread's registers, loaded as float4. Sizes are multiples of 32.
extern "C" __global__ void gemm_registers(const float4* a, const float4* b, float4* c, int m, int n, int k) {
    __shared__ float as[8][32];
    __shared__ float4 bs[8][8];
    int t = threadIdx.x, tx = t & 7, ty = t >> 3;
    float sums[4][4] = {};
    for (int s = 0; s < k; s += 8) {
        int row = t >> 1, quarter = t & 1;
        float4 v = a[((blockIdx.y * 32 + row) * k + s) / 4 + quarter];
        as[quarter * 4 + 0][row] = v.x;
        as[quarter * 4 + 1][row] = v.y;
        as[quarter * 4 + 2][row] = v.z;
        as[quarter * 4 + 3][row] = v.w;
        bs[t >> 3][t & 7] = b[((s + (t >> 3)) * n + blockIdx.x * 32) / 4 + (t & 7)];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float4 y = bs[i][tx];
            float ys[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int q = 0; q < 4; q++) sums[r][q] += as[i][ty * 4 + r] * ys[q];
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        c[((blockIdx.y * 32 + ty * 4 + r) * n + blockIdx.x * 32) / 4 + tx] = make_float4(sums[r][0], sums[r][1], sums[r][2], sums[r][3]);
}

// A float4 at an odd place.
extern "C" __global__ void gemm_misaligned(const float* a, float* c) {
    float4 v = *(const float4*)(a + threadIdx.x);
    c[threadIdx.x] = v.x + v.y + v.z + v.w;
}

extern "C" __global__ void gemv_halves(const half2* a, const half2* x, float* y, int m, int k) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
    if (row >= m) return;
    float sum = 0;
    for (int i = lane; i < k / 2; i += 32) {
        float2 p = __half22float2(__hmul2(a[row * (k / 2) + i], x[i]));
        sum += p.x + p.y;
    }
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}

extern "C" __global__ void axpy_bfloat(const __nv_bfloat16* x, __nv_bfloat16* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2bfloat16(fmaf(a, __bfloat162float(x[i]), __bfloat162float(y[i])));
}

extern "C" __global__ void half_math(const half* in, half* out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    half x = in[i], y = in[(i + 1) % n];
    half z = __hlt(x, y) ? __hadd(x, y) : __hsub(x, y);
    z = __hmax(z, __float2half(-0.25f));
    half2 both = __halves2half2(z, hexp2(z));
    both = __hfma2(both, both, __floats2half2_rn(0.5f, 1.0f));
    half2 greater = __hgt2(both, __floats2half2_rn(1.0f, 1.0f));
    out[i] = __hadd(__low2half(both), __hadd(__high2half(both), __high2half(greater)));
}

extern "C" __global__ void soft_rows(const float* in, float* out, int columns) {
    __shared__ float parts[8];
    const float* row = in + blockIdx.x * columns;
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    float most = -CUDART_INF_F;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) most = fmaxf(most, row[i]);
    for (int d = 16; d > 0; d >>= 1) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (lane == 0) parts[warp] = most;
    __syncthreads();
    most = parts[0];
    for (int w = 1; w < warps; w++) most = fmaxf(most, parts[w]);
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - most);
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) parts[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int w = 0; w < warps; w++) sum += parts[w];
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}

extern "C" __global__ void layer_norm(const float* in, const float* gain, const float* shift, float* out, int columns, float eps) {
    __shared__ float2 parts[8];
    const float* row = in + blockIdx.x * columns;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += row[i], squares += row[i] * row[i];
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_xor_sync(~0u, sum, d);
        squares += __shfl_xor_sync(~0u, squares, d);
    }
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = make_float2(sum, squares);
    __syncthreads();
    sum = squares = 0;
    for (int w = 0; w < blockDim.x / 32; w++) sum += parts[w].x, squares += parts[w].y;
    float mean = sum / columns, scale = rsqrtf(squares / columns - mean * mean + eps);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * columns + i] = (row[i] - mean) * scale * gain[i] + shift[i];
}

// A row of queries for each block, keys in tiles of 32, soft_rows as it goes.
extern "C" __global__ void flash(const float* q, const float* k, const float* v, float* out, int n, float scale) {
    __shared__ float ks[32][33], vs[32][33];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, row = blockIdx.x * (blockDim.x / 32) + warp;
    float query = row < n ? q[row * 32 + lane] : 0, most = -CUDART_INF_F, sum = 0, acc = 0;
    for (int t = 0; t < n; t += 32) {
        for (int j = warp; j < 32; j += blockDim.x / 32) {
            ks[j][lane] = t + j < n ? k[(t + j) * 32 + lane] : 0;
            vs[j][lane] = t + j < n ? v[(t + j) * 32 + lane] : 0;
        }
        __syncthreads();
        float dot = 0;
        for (int d = 0; d < 32; d++) dot += __shfl_sync(~0u, query, d) * ks[lane][d];
        dot = t + lane < n ? dot * scale : -CUDART_INF_F;
        float tile = dot;
        for (int d = 16; d > 0; d >>= 1) tile = fmaxf(tile, __shfl_xor_sync(~0u, tile, d));
        float now = fmaxf(most, tile), fix = expf(most - now), p = expf(dot - now), total = p;
        for (int d = 16; d > 0; d >>= 1) total += __shfl_xor_sync(~0u, total, d);
        sum = sum * fix + total;
        acc *= fix;
        for (int j = 0; j < 32; j++) acc += __shfl_sync(~0u, p, j) * vs[j][lane];
        most = now;
        __syncthreads();
    }
    if (row < n) out[row * 32 + lane] = acc / sum;
}

extern "C" __global__ void embedding(const int* ids, const float* table, float* out, int count, int width) {
    int token = blockIdx.x;
    if (token >= count) return;
    for (int i = threadIdx.x; i < width; i += blockDim.x) out[token * width + i] = table[ids[token] * width + i];
}

extern "C" __global__ void spmv(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    float sum = 0;
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0) y[row] = sum;
}

extern "C" __global__ void bfs_step(const int* starts, const int* edges, int* levels, int* changed, int level, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || levels[v] != level) return;
    for (int i = starts[v]; i < starts[v + 1]; i++)
        if (atomicCAS(&levels[edges[i]], -1, level + 1) == -1) atomicExch(changed, 1);
}
