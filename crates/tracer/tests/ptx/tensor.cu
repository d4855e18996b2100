// Kernels with instructions of tensor cores, and with asynchronous copies.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__device__ unsigned address(const void* shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

__device__ unsigned pair(const unsigned short* at, unsigned apart) {
    return at[0] | (unsigned)at[apart] << 16;
}

// ---- mma: fragments as the PTX ISA has them, from row-major matrices in 16 bits.

#define MMA_16816(d, a, b, c, types) \
    asm volatile("mma.sync.aligned.m16n8k16.row.col." types \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), \
                   "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]))

__device__ void load_16816(unsigned (&a_frag)[4], unsigned (&b_frag)[2], float (&c_frag)[4], const unsigned short* a,
                           const unsigned short* b, const float* c) {
    unsigned group = threadIdx.x / 4, thread = threadIdx.x % 4;
    for (unsigned i = 0; i < 4; i++) {
        unsigned row = group + i % 2 * 8, column = thread * 2 + i / 2 * 8;
        a_frag[i] = pair(a + row * 16 + column, 1);
        c_frag[i] = c[(group + i / 2 * 8) * 8 + thread * 2 + i % 2];
    }
    for (unsigned i = 0; i < 2; i++) b_frag[i] = pair(b + (thread * 2 + i * 8) * 8 + group, 8);
}

__device__ void store_168(float* d, const float (&d_frag)[4]) {
    unsigned group = threadIdx.x / 4, thread = threadIdx.x % 4;
    for (unsigned i = 0; i < 4; i++) d[(group + i / 2 * 8) * 8 + thread * 2 + i % 2] = d_frag[i];
}

extern "C" __global__ void mma_bf16(const unsigned short* a, const unsigned short* b, const float* c, float* d) {
    unsigned a_frag[4], b_frag[2];
    float c_frag[4], d_frag[4];
    load_16816(a_frag, b_frag, c_frag, a, b, c);
    MMA_16816(d_frag, a_frag, b_frag, c_frag, "f32.bf16.bf16.f32");
    store_168(d, d_frag);
}

extern "C" __global__ void mma_f16(const unsigned short* a, const unsigned short* b, const float* c, float* d) {
    unsigned a_frag[4], b_frag[2];
    float c_frag[4], d_frag[4];
    load_16816(a_frag, b_frag, c_frag, a, b, c);
    MMA_16816(d_frag, a_frag, b_frag, c_frag, "f32.f16.f16.f32");
    store_168(d, d_frag);
}

// Sums in halves, of half the depth twice.
extern "C" __global__ void mma_f16_sums(const unsigned short* a, const unsigned short* b, float* d) {
    unsigned a_frag[4], b_frag[2];
    unsigned group = threadIdx.x / 4, thread = threadIdx.x % 4;
    for (unsigned i = 0; i < 4; i++) a_frag[i] = pair(a + (group + i % 2 * 8) * 16 + thread * 2 + i / 2 * 8, 1);
    for (unsigned i = 0; i < 2; i++) b_frag[i] = pair(b + (thread * 2 + i * 8) * 8 + group, 8);
    unsigned sum[2] = {};
    for (unsigned half = 0; half < 2; half++) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                     : "+r"(sum[0]), "+r"(sum[1])
                     : "r"(a_frag[2 * half]), "r"(a_frag[2 * half + 1]), "r"(b_frag[half]));
    }
    for (unsigned i = 0; i < 4; i++) {
        __half_raw raw;
        raw.x = (unsigned short)(sum[i / 2] >> (i % 2 * 16));
        d[(group + i / 2 * 8) * 8 + thread * 2 + i % 2] = __half2float(raw);
    }
}

extern "C" __global__ void mma_tf32(const float* a, const float* b, float* d) {
    unsigned group = threadIdx.x / 4, thread = threadIdx.x % 4;
    unsigned a_frag[4], b_frag[2];
    float sum[4] = {};
    for (unsigned i = 0; i < 4; i++) {
        a_frag[i] = __float_as_uint(a[(group + i % 2 * 8) * 8 + thread + i / 2 * 4]);
    }
    for (unsigned i = 0; i < 2; i++) b_frag[i] = __float_as_uint(b[(thread + i * 4) * 8 + group]);
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a_frag[0]), "r"(a_frag[1]), "r"(a_frag[2]), "r"(a_frag[3]), "r"(b_frag[0]), "r"(b_frag[1]));
    store_168(d, sum);
}

// 16 x 32 signed bytes times 32 x 8 unsigned ones.
extern "C" __global__ void mma_bytes(const signed char* a, const unsigned char* b, int* d) {
    unsigned group = threadIdx.x / 4, thread = threadIdx.x % 4;
    unsigned a_frag[4] = {}, b_frag[2] = {};
    int sum[4] = {};
    for (unsigned i = 0; i < 16; i++) {
        unsigned row = group + i / 4 % 2 * 8, column = thread * 4 + i % 4 + i / 8 * 16;
        a_frag[i / 4] |= (unsigned)(unsigned char)a[row * 32 + column] << (i % 4 * 8);
    }
    for (unsigned i = 0; i < 8; i++) {
        b_frag[i / 4] |= (unsigned)b[(thread * 4 + i % 4 + i / 4 * 16) * 8 + group] << (i % 4 * 8);
    }
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a_frag[0]), "r"(a_frag[1]), "r"(a_frag[2]), "r"(a_frag[3]), "r"(b_frag[0]), "r"(b_frag[1]));
    for (unsigned i = 0; i < 4; i++) d[(group + i / 2 * 8) * 8 + thread * 2 + i % 2] = sum[i];
}

// ---- ldmatrix, stmatrix, movmatrix: 16 x 16 numbers of 16 bits through registers, transposed three times.
extern "C" __global__ void through_registers(const unsigned short* in, unsigned short* out) {
    __shared__ alignas(16) unsigned short from[16 * 24], to[16 * 24];
    unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 256; i += 32) from[i / 16 * 24 + i % 16] = in[i];
    __syncthreads();
    unsigned r[4];
    // Tiles: upper left, lower left, upper right, lower right.
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address(from + lane % 16 * 24 + lane / 16 * 8)) : "memory");
    for (unsigned i = 0; i < 4; i++) {
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[i]) : "r"(r[i]));
    }
    // The two of the left by two addresses, the others by one each.
    unsigned row = address(to + lane % 16 * 24);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};"
                 :: "r"(row), "r"(r[0]), "r"(r[1]) : "memory");
    unsigned upper = address(to + lane % 8 * 24 + 8), lower = address(to + (lane % 8 + 8) * 24 + 8);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" :: "r"(upper), "r"(r[2]) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" :: "r"(lower), "r"(r[3]) : "memory");
    __syncthreads();
    for (unsigned i = lane; i < 256; i += 32) out[i] = to[i / 16 * 24 + i % 16];
}

// ---- wmma.

template <typename Number, typename A, typename B, int M, int N, int K>
__device__ void product(const Number* a, const Number* b, float* d, unsigned a_stride, unsigned b_stride,
                        wmma::layout_t layout, unsigned d_stride) {
    wmma::fragment<wmma::matrix_a, M, N, K, Number, A> a_frag;
    wmma::fragment<wmma::matrix_b, M, N, K, Number, B> b_frag;
    wmma::fragment<wmma::accumulator, M, N, K, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::load_matrix_sync(a_frag, a, a_stride);
    wmma::load_matrix_sync(b_frag, b, b_stride);
    // Each element of A twice as large, and half of a sum.
    for (int i = 0; i < a_frag.num_elements; i++) a_frag.x[i] = a_frag.x[i] + a_frag.x[i];
    wmma::mma_sync(sum, a_frag, b_frag, sum);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] *= 0.5f;
    wmma::store_matrix_sync(d, sum, d_stride, layout);
}

extern "C" __global__ void wmma_rows(const half* a, const half* b, float* d) {
    product<half, wmma::row_major, wmma::row_major, 16, 16, 16>(a, b, d, 16, 16, wmma::mem_row_major, 16);
}

// Both factors and the result column by column.
extern "C" __global__ void wmma_columns(const half* a, const half* b, float* d) {
    product<half, wmma::col_major, wmma::col_major, 16, 16, 16>(a, b, d, 16, 16, wmma::mem_col_major, 16);
}

extern "C" __global__ void wmma_tall(const __nv_bfloat16* a, const __nv_bfloat16* b, float* d) {
    product<__nv_bfloat16, wmma::row_major, wmma::col_major, 32, 8, 16>(a, b, d, 16, 16, wmma::mem_row_major, 8);
}

extern "C" __global__ void wmma_shared(const half* a, const half* b, float* d) {
    __shared__ alignas(32) half a_tile[16 * 24], b_tile[16 * 24];
    __shared__ alignas(32) float d_tile[16 * 20];
    for (unsigned i = threadIdx.x; i < 256; i += 32) {
        a_tile[i / 16 * 24 + i % 16] = a[i];
        b_tile[i / 16 * 24 + i % 16] = b[i];
    }
    __syncthreads();
    product<half, wmma::row_major, wmma::row_major, 16, 16, 16>(a_tile, b_tile, d_tile, 24, 24, wmma::mem_row_major,
                                                                20);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += 32) d[i] = d_tile[i / 16 * 20 + i % 16];
}

extern "C" __global__ void wmma_tf32(const float* a, const float* b, float* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b_frag;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(a_frag, a, 8);
    wmma::load_matrix_sync(b_frag, b, 16);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, a_frag, b_frag, sum);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

// ---- cp.async.

__device__ void copy16(float* to, const float* from, unsigned bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(address(to)), "l"(from), "r"(bytes) : "memory");
}

__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int LEFT>
__device__ void wait() { asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory"); }

// Blocks of 128 floats through two places, the next one on its way while one is added; beyond n there are zeros.
extern "C" __global__ void ring_of_copies(const float* in, float* out, unsigned n, unsigned blocks) {
    __shared__ alignas(16) float place[2][128];
    unsigned lane = threadIdx.x;
    float sum = 0;
    auto fetch = [&](unsigned block) {
        unsigned first = block * 128 + 4 * lane;
        if (lane < 32 && block < blocks) copy16(&place[block % 2][4 * lane], in + (first < n ? first : 0), first < n ? 16 : 0);
        commit();
    };
    fetch(0);
    for (unsigned block = 0; block < blocks; block++) {
        fetch(block + 1);
        wait<1>();
        __syncthreads();
        // Another thread's.
        sum += place[block % 2][127 - lane];
        __syncthreads();
    }
    out[lane] = sum;
}

// The same copy in three sizes.
extern "C" __global__ void sizes_of_copies(const float* in, float* out) {
    __shared__ alignas(16) float place[3 * 32];
    unsigned lane = threadIdx.x;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(address(place + lane)), "l"(in + lane) : "memory");
    if (lane < 16) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;"
                     :: "r"(address(place + 32 + 2 * lane)), "l"(in + 32 + 2 * lane) : "memory");
    }
    if (lane < 8) copy16(place + 64 + 4 * lane, in + 64 + 4 * lane, 8);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (unsigned i = 0; i < 3; i++) out[32 * i + lane] = place[32 * i + lane];
}

// Waits for all groups but one, and so not for the one that it reads.
extern "C" __global__ void early_read(const float* in, float* out) {
    __shared__ alignas(16) float place[128];
    copy16(&place[4 * threadIdx.x], in + 4 * threadIdx.x, 16);
    commit();
    wait<1>();
    __syncthreads();
    out[threadIdx.x] = place[threadIdx.x];  // too early
    wait<0>();
}

// Waits for its own copies, but not for those of the others.
extern "C" __global__ void others_copies(const float* in, float* out) {
    __shared__ alignas(16) float place[128];
    copy16(&place[4 * threadIdx.x], in + 4 * threadIdx.x, 16);
    commit();
    wait<0>();
    out[threadIdx.x] = place[127 - threadIdx.x];  // no barrier
}

// Fills a place again that others still read.
extern "C" __global__ void refilled(const float* in, float* out) {
    __shared__ alignas(16) float place[128];
    copy16(&place[4 * threadIdx.x], in + 4 * threadIdx.x, 16);
    commit();
    wait<0>();
    __syncthreads();
    float sum = place[127 - threadIdx.x];
    copy16(&place[4 * threadIdx.x], in + 128 + 4 * threadIdx.x, 16);  // still read
    commit();
    wait<0>();
    __syncthreads();
    out[threadIdx.x] = sum + place[127 - threadIdx.x];
}
