// What the kernels for Hopper's tensor cores share: one
// function around each PTX instruction that C++ has no word
// for. Addresses of shared memory are 32-bit numbers here.
#pragma once

using bf16 = unsigned short;  // its 16 bits
struct alignas(64) TensorMap {
    unsigned long long opaque[16];
};

__device__ unsigned address(const void* shared) {
    return (unsigned)__cvta_generic_to_shared(shared);
}

// ---- Barriers in shared memory, 8 bytes each.

__device__ void barrier_init(unsigned barrier,
                             unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :: "r"(barrier), "r"(arrivals) : "memory");
}

// From here on the copy engine, which counts bytes with
// barriers and reads shared memory, sees what this thread
// wrote there.
__device__ void fence_async() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Arrives, and makes the barrier wait for so many bytes too.
__device__ void barrier_expect(unsigned barrier,
                               unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 "
                 "_, [%0], %1;"
                 :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ void barrier_arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :: "r"(barrier) : "memory");
}

// Waits until the barrier's phase of this parity (0, 1, 0, …)
// is complete. The phase before its first counts as one of
// parity 1.
__device__ void barrier_wait(unsigned barrier,
                             unsigned parity) {
    unsigned complete;
    do {
        asm volatile("{ .reg .pred p; "
                     "mbarrier.try_wait.parity.shared::cta.b64 "
                     "p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(complete)
                     : "r"(barrier), "r"(parity) : "memory");
    } while (!complete);
}

// The same for a whole warp. Its lanes may leave the loop one
// by one, and the instructions that follow want them together.
__device__ void barrier_wait_warp(unsigned barrier,
                                  unsigned parity) {
    barrier_wait(barrier, parity);
    __syncwarp();
}

// ---- The copy engine (TMA).

// Brings the box that starts at (column, row), with zeros for
// what is outside of the matrix.
__device__ void copy_box(unsigned to, const TensorMap& map,
                         unsigned column, unsigned row,
                         unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster"
                 ".global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];"
                 :: "r"(to), "l"(&map), "r"(column), "r"(row),
                    "r"(barrier) : "memory");
}

// ---- The tensor cores.

// How a matrix lies in shared memory (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Shared Memory Layout", "Matrix
// Descriptor"): in blocks of 8 lines of 128 bytes, swizzled,
// from each to the next 1024 bytes; all in units of 16 bytes.
// A's lines are rows, 64 of k. B's lines are rows too, but 64
// of n: the next 64 of n are `leading` bytes further.
__device__ unsigned long long descriptor(unsigned start,
                                         unsigned leading) {
    constexpr unsigned long long SWIZZLE_128B = 1ull << 62;
    constexpr unsigned long long STRIDE = (1024ull >> 4) << 32;
    return SWIZZLE_128B | STRIDE
           | (unsigned long long)(leading >> 4) << 16
           | (start & 0x3ffff) >> 4;
}

// %t0 … %t9 of an instruction's text, and the operands that
// they stand for.
#define TEN(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, " \
               "%" #t "4, %" #t "5, %" #t "6, %" #t "7, " \
               "%" #t "8, %" #t "9, "
#define FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), \
                   "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(d, i) FOUR(d, i), FOUR(d, i + 4), \
                      FOUR(d, i + 8), FOUR(d, i + 12)
#define SIXTY_FOUR(d, i) SIXTEEN(d, i), SIXTEEN(d, i + 16), \
                         SIXTEEN(d, i + 32), SIXTEEN(d, i + 48)

// d += a b for 64 x 128 results of a warpgroup. The last 1 says
// that B's lines run along n: row-major B, as it is.
__device__ void mma(float (&d)[64], unsigned long long a,
                    unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned"
                 ".m64n128k16.f32.bf16.bf16 "
                 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
                 "%60, %61, %62, %63}, "
                 "%64, %65, 1, 1, 1, 0, 1;"
                 : SIXTY_FOUR(d, 0) : "l"(a), "l"(b));
}

// The same for 64 x 256 results.
__device__ void mma(float (&d)[128], unsigned long long a,
                    unsigned long long b) {
    asm volatile("wgmma.mma_async.sync.aligned"
                 ".m64n256k16.f32.bf16.bf16 "
                 "{" TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
                 TEN(6) TEN(7) TEN(8) TEN(9) TEN(10) TEN(11)
                 "%120, %121, %122, %123, "
                 "%124, %125, %126, %127}, "
                 "%128, %129, 1, 1, 1, 0, 1;"
                 : SIXTY_FOUR(d, 0), SIXTY_FOUR(d, 64)
                 : "l"(a), "l"(b));
}

// From here on the registers of the sums belong to the tensor
// cores, until they are waited for.
__device__ void mma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// What was begun since the last commit is a group.
__device__ void mma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;"
                 ::: "memory");
}

// Waits until at most so many of the last groups are still
// being multiplied.
template <unsigned GROUPS_LEFT>
__device__ void mma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;"
                 :: "n"(GROUPS_LEFT) : "memory");
}

// Two sums as bf16 in 32 bits. Volatile, so that it stays
// behind the wait for the sums.
__device__ unsigned pack_bf16(float left, float right) {
    unsigned packed;
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;"
                 : "=r"(packed) : "f"(right), "f"(left));
    return packed;
}
