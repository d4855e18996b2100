// Kernels with barriers in shared memory, the copy engine, and products of matrices in shared memory.

struct alignas(64) Map {
    unsigned long long opaque[16];
};

__device__ unsigned address(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }

__device__ void init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(arrivals) : "memory");
}

__device__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory");
}

__device__ void expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ void wait(unsigned barrier, unsigned parity) {
    unsigned complete;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(complete) : "r"(barrier), "r"(parity) : "memory");
    } while (!complete);
}

__device__ void copy_box(unsigned to, const Map& map, unsigned column, unsigned row, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&map), "r"(column), "r"(row), "r"(barrier) : "memory");
}

__device__ void store_box(const Map& map, unsigned column, unsigned row, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(&map), "r"(column), "r"(row), "r"(from) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- The copy engine.

// A box of 8 rows of 32 floats at (column, row), in order of its addresses.
extern "C" __global__ void box(const float*, float* out, int column, int row, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float tile[];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        init(address(&barrier), 1);
        fence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(address(&barrier), 1024);
        copy_box(address(tile), map, column, row, address(&barrier));
    }
    wait(address(&barrier), 0);
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) out[i] = tile[i];
}

// Reads a box before it has waited for it.
extern "C" __global__ void box_too_early(const float*, float* out, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float tile[];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        init(address(&barrier), 1);
        fence();
        expect(address(&barrier), 1024);
        copy_box(address(tile), map, 0, 0, address(&barrier));
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];  // before it waits
    wait(address(&barrier), 0);
}

// Expects more bytes than come.
extern "C" __global__ void box_too_short(const float*, float* out, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float tile[];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        init(address(&barrier), 1);
        fence();
        expect(address(&barrier), 2048);
        copy_box(address(tile), map, 0, 0, address(&barrier));
    }
    __syncthreads();
    wait(address(&barrier), 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// `bytes` bytes from element `first` on, doubled, by copies without a tensor map; the copy's policy for the cache changes no value.
extern "C" __global__ void run(const float* in, float* out, unsigned first, unsigned bytes) {
    extern __shared__ __align__(1024) float row[];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        init(address(&barrier), 1);
        fence();
        expect(address(&barrier), bytes);
        unsigned long long policy;
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;"
                     :: "r"(address(row)), "l"(in + first), "r"(bytes), "r"(address(&barrier)), "l"(policy) : "memory");
    }
    __syncthreads();
    wait(address(&barrier), 0);
    for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) row[i] *= 2;
    fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                     :: "l"(out + first), "r"(address(row)), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// Boxes of 8 rows of 32 floats, doubled, through two buffers to another matrix. LEFT groups may still be read.
template <int LEFT>
__device__ void doubled(const float* in, const Map& map, unsigned boxes, float* buffers) {
    for (unsigned box = 0; box < boxes; box++) {
        float* buffer = buffers + box % 2 * 256;
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(LEFT) : "memory");
        __syncthreads();
        for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) buffer[i] = 2 * in[box * 256 + i];
        fence();
        __syncthreads();
        if (threadIdx.x == 0) store_box(map, 0, 8 * box, address(buffer));
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

extern "C" __global__ void stored(const float* in, float*, unsigned boxes, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float buffers[];
    doubled<1>(in, map, boxes, buffers);
}

extern "C" __global__ void stored_too_fast(const float* in, float*, unsigned boxes, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float buffers[];
    doubled<2>(in, map, boxes, buffers);
}

// ---- A ring between one warp that loads and three that add up.

enum Mistake { NONE, RELEASES_EARLY, NEVER_RELEASES };

template <Mistake MISTAKE>
__device__ void through_ring(float* out, unsigned steps, const Map& map, float* places) {
    __shared__ unsigned long long full[2], empty[2];
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < 2; i++) {
            init(address(&full[i]), 1);
            init(address(&empty[i]), 3);
        }
        fence();
    }
    __syncthreads();
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        if (lane == 0) {
            for (unsigned step = 0; step < steps; step++) {
                unsigned place = step % 2;
                wait(address(&empty[place]), step / 2 % 2 ^ 1);
                expect(address(&full[place]), 1024);
                copy_box(address(places + 256 * place), map, 0, 8 * step, address(&full[place]));
            }
        }
    } else {
        float sum = 0;
        for (unsigned step = 0; step < steps; step++) {
            unsigned place = step % 2;
            wait(address(&full[place]), step / 2 % 2);
            __syncwarp();
            if (MISTAKE == RELEASES_EARLY && lane == 0) arrive(address(&empty[place]));
            __syncwarp();
            for (unsigned row = 0; row < 8; row++) sum += warp * places[256 * place + 32 * row + lane];
            __syncwarp();
            if (MISTAKE == NONE && lane == 0) arrive(address(&empty[place]));
        }
        out[threadIdx.x - 32] = sum;
    }
}

extern "C" __global__ void ring(const float*, float* out, unsigned steps, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float places[];
    through_ring<NONE>(out, steps, map, places);
}

extern "C" __global__ void ring_released_early(const float*, float* out, unsigned steps, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float places[];
    through_ring<RELEASES_EARLY>(out, steps, map, places);
}

extern "C" __global__ void ring_never_released(const float*, float* out, unsigned steps, const __grid_constant__ Map map) {
    extern __shared__ __align__(1024) float places[];
    through_ring<NEVER_RELEASES>(out, steps, map, places);
}

// ---- Barriers with numbers.

// Each half of the block turns 64 numbers around, at its own pace.
extern "C" __global__ void halves(const float* in, float* out, unsigned rounds) {
    __shared__ float place[128];
    unsigned half = threadIdx.x / 64, i = threadIdx.x % 64;
    place[threadIdx.x] = in[threadIdx.x];
    for (unsigned round = 0; round < rounds + half; round++) {
        asm volatile("bar.sync %0, 64;" :: "r"(half + 1) : "memory");
        float value = place[half * 64 + 63 - i];
        asm volatile("bar.sync %0, 64;" :: "r"(half + 1) : "memory");
        place[threadIdx.x] = value + 1;
    }
    out[threadIdx.x] = place[threadIdx.x];
}

// The first warp hands numbers to the second, and does not wait for it.
extern "C" __global__ void handed(const float* in, float* out) {
    __shared__ float place[32];
    if (threadIdx.x < 32) {
        place[threadIdx.x] = in[threadIdx.x];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x - 32] = place[63 - threadIdx.x];
    }
}

// Each of two warps waits for what the other would do later.
extern "C" __global__ void each_waits_for_the_other(float* out) {
    __shared__ unsigned long long barriers[2];
    if (threadIdx.x == 0) {
        init(address(&barriers[0]), 1);
        init(address(&barriers[1]), 1);
    }
    __syncthreads();
    unsigned warp = threadIdx.x / 32;
    wait(address(&barriers[warp]), 0);
    if (threadIdx.x % 32 == 0) arrive(address(&barriers[warp ^ 1]));
    out[threadIdx.x] = 1;
}

// ---- Products of 64 x 64 x 64 in bf16, of tiles that the copy engine swizzles.

#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
                    "+f"(d[i + 6]), "+f"(d[i + 7])
#define PRODUCT(types, d, a, b, adds, a_turned, b_turned) \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32." types " " \
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, " \
                 "%32, %33, p, 1, 1, %35, %36; }" \
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24) \
                 : "l"(a), "l"(b), "r"(adds), "n"(a_turned), "n"(b_turned))

// `swizzle` is 1 for 128 bytes, 2 for 64, 3 for 32.
__device__ unsigned long long descriptor(unsigned start, unsigned leading, unsigned stride, unsigned long long swizzle) {
    return swizzle << 62 | (unsigned long long)(stride >> 4) << 32 | (unsigned long long)(leading >> 4) << 16
           | (start & 0x3ffff) >> 4;
}

// Lines of both factors have BYTES bytes in shared memory. A is m x k or, turned, k x m; B is n x k or, turned, k x n.
template <unsigned BYTES, unsigned A_TURNED, unsigned B_TURNED>
__device__ void product(float* out, const Map& a_map, const Map& b_map, unsigned char* shared) {
    __shared__ unsigned long long barrier;
    constexpr unsigned EACH = BYTES / 2, BOX = 64 * BYTES, SWIZZLE = BYTES == 128 ? 1 : BYTES == 64 ? 2 : 3;
    unsigned a_tile = address(shared), b_tile = a_tile + 8192;
    if (threadIdx.x == 0) {
        init(address(&barrier), 1);
        fence();
        expect(address(&barrier), 16384);
        for (unsigned i = 0; i * EACH < 64; i++) {
            copy_box(a_tile + i * BOX, a_map, i * EACH, 0, address(&barrier));
            copy_box(b_tile + i * BOX, b_map, i * EACH, 0, address(&barrier));
        }
    }
    __syncthreads();
    wait(address(&barrier), 0);
    float sums[32];
    for (unsigned i = 0; i < 32; i++) sums[i] = 1e9f;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll
    for (unsigned k = 0; k < 64; k += 16) {
        // 16 of k: further along the lines, or 16 lines on.
        unsigned along = k / EACH * BOX + k % EACH * 2, down = k * BYTES;
        unsigned a = a_tile + (A_TURNED ? down : along), b = b_tile + (B_TURNED ? down : along);
        PRODUCT("bf16.bf16", sums, descriptor(a, BOX, 8 * BYTES, SWIZZLE), descriptor(b, BOX, 8 * BYTES, SWIZZLE), k,
                A_TURNED, B_TURNED);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (unsigned i = 0; i < 32; i++) {
        unsigned row = 16 * warp + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        out[row * 64 + column] = sums[i];
    }
}

#define KERNEL(name, bytes, a_turned, b_turned) \
    extern "C" __global__ void name(const unsigned short*, const unsigned short*, float* out, \
                                    const __grid_constant__ Map a_map, const __grid_constant__ Map b_map) { \
        extern __shared__ __align__(1024) unsigned char tiles[]; \
        product<bytes, a_turned, b_turned>(out, a_map, b_map, tiles); \
    }

KERNEL(product_128, 128, 0, 0)
KERNEL(product_64, 64, 0, 0)
KERNEL(product_32, 32, 0, 0)
KERNEL(product_128_turned, 128, 1, 1)
KERNEL(product_64_turned, 64, 1, 1)
KERNEL(product_32_turned, 32, 0, 1)

// ---- Atomics on vectors.

// Every block adds a vector of 4 to the same places; lane 0's atomic on 2 returns what was there; the last adds halves.
extern "C" __global__ void vectors(float* sums, float* before, float* counts, unsigned* halves) {
    const float x = threadIdx.x;
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "l"(sums + 4 * threadIdx.x), "f"(x), "f"(x + 0.25f), "f"(1.0f), "f"(-x) : "memory");
    if (threadIdx.x == 0) {
        float a, b;
        asm volatile("atom.global.v2.f32.add {%0, %1}, [%2], {%3, %4};"
                     : "=f"(a), "=f"(b) : "l"(counts), "f"(1.0f), "f"(10.0f) : "memory");
        before[2 * blockIdx.x] = a;
        before[2 * blockIdx.x + 1] = b;
    }
    const unsigned ones = 0x3C004000;  // 1.0 and 2.0
    asm volatile("red.global.add.noftz.v2.f16x2 [%0], {%1, %1};" :: "l"(halves + 2 * threadIdx.x), "r"(ones) : "memory");
}
