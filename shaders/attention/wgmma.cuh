// What the attention kernels for Hopper share: a function
// around each PTX instruction that C++ has no word for.
// Addresses of shared memory are 32-bit numbers here.
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

// From here on the copy engine and the tensor cores see what
// this thread wrote to shared memory.
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

// Named barriers, of which a block has 16; 0 is that of
// `__syncthreads`. `threads` counts those who wait and those
// who only arrive.
__device__ void named_wait(unsigned name, unsigned threads) {
    asm volatile("bar.sync %0, %1;"
                 :: "r"(name), "r"(threads) : "memory");
}
__device__ void named_arrive(unsigned name, unsigned threads) {
    asm volatile("bar.arrive %0, %1;"
                 :: "r"(name), "r"(threads) : "memory");
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

// The same for what is used once, so that the L2 may forget it
// before anything else.
__device__ void copy_box_once(unsigned to, const TensorMap& map,
                              unsigned column, unsigned row,
                              unsigned barrier) {
    unsigned long long first;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;"
        : "=l"(first));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster"
                 ".global.tile.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint "
                 "[%0], [%1, {%2, %3}], [%4], %5;"
                 :: "r"(to), "l"(&map), "r"(column), "r"(row),
                    "r"(barrier), "l"(first) : "memory");
}

// ---- The tensor cores.

// How a matrix lies in shared memory (PTX ISA, "Asynchronous
// Warpgroup Level Matrix Shared Memory Layout", "Matrix
// Descriptor"): in blocks of 8 lines of 128 bytes, swizzled,
// from each to the next 1024 bytes; all in units of 16 bytes.
// A line has 64 elements. If it runs along n (or m), the next
// 64 of n (or m) are `leading` bytes further. To go forward by
// so many bytes is to add a sixteenth of them.
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
#define NINE(t) "%" #t "0, %" #t "1, %" #t "2, %" #t "3, " \
                "%" #t "4, %" #t "5, %" #t "6, %" #t "7, " \
                "%" #t "8, "
#define TEN(t) NINE(t) "%" #t "9, "
#define TEN_TO_59 TEN() TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
#define FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), \
                   "+f"(d[i + 2]), "+f"(d[i + 3])
#define EIGHT(d, i) FOUR(d, i), FOUR(d, i + 4)
#define SIXTEEN(d, i) EIGHT(d, i), EIGHT(d, i + 8)
#define THIRTY_TWO(d, i) SIXTEEN(d, i), SIXTEEN(d, i + 16)
#define SIXTY_FOUR(d, i) THIRTY_TWO(d, i), THIRTY_TWO(d, i + 32)

// d = a b (+ d, if `add`) for 64 x N results of a warpgroup,
// with both factors in shared memory. A_ALONG_M: a's lines run
// along m, not k. B_ALONG_N: b's lines run along n.
// n: N as text; list: the text of d's registers; a, b, c: the
// numbers of the operands after them.
#define MMA_SHARED(count, n, list, a, b, c, t, u, ...)        \
template <int A_ALONG_M = 0, int B_ALONG_N = 0>               \
__device__ __forceinline__ void mma(                          \
        float (&d)[count], unsigned long long of_a,           \
        unsigned long long of_b, unsigned add) {              \
    asm volatile("{ .reg .pred p; "                           \
                 "setp.ne.b32 p, %" c ", 0; "                 \
                 "wgmma.mma_async.sync.aligned.m64n" n        \
                 "k16.f32.bf16.bf16 {" list "}, %" a ", %" b  \
                 ", p, 1, 1, %" t ", %" u "; }"               \
                 : __VA_ARGS__                                \
                 : "l"(of_a), "l"(of_b), "r"(add),            \
                   "n"(A_ALONG_M), "n"(B_ALONG_N));           \
}

// d += a b with a in registers: the same lanes hold the same
// elements of a 64 x 16 as they hold of sums, packed in pairs.
#define MMA_REGISTERS(count, n, list, a0, a1, a2, a3, b, u,   \
                      ...)                                    \
template <int B_ALONG_N = 1>                                  \
__device__ __forceinline__ void mma(                          \
        float (&d)[count], const unsigned* a,                 \
        unsigned long long of_b) {                            \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" n        \
                 "k16.f32.bf16.bf16 {" list "}, "             \
                 "{%" a0 ", %" a1 ", %" a2 ", %" a3 "}, "     \
                 "%" b ", 1, 1, 1, %" u ";"                   \
                 : __VA_ARGS__                                \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]),           \
                   "r"(a[3]), "l"(of_b), "n"(B_ALONG_N));     \
}

#define LIST_16 TEN() "%10, %11, %12, %13, %14, %15"
#define LIST_32 TEN() TEN(1) TEN(2) "%30, %31"

#define LIST_64 TEN_TO_59 "%60, %61, %62, %63"
#define LIST_80 TEN_TO_59 TEN(6) NINE(7) "%79"

MMA_SHARED(16, "32", LIST_16, "16", "17", "18", "19", "20",
           SIXTEEN(d, 0))
MMA_SHARED(32, "64", LIST_32, "32", "33", "34", "35", "36",
           THIRTY_TWO(d, 0))
MMA_SHARED(64, "128", LIST_64, "64", "65", "66", "67", "68",
           SIXTY_FOUR(d, 0))
MMA_SHARED(80, "160", LIST_80, "80", "81", "82", "83", "84",
           SIXTY_FOUR(d, 0), SIXTEEN(d, 64))
MMA_REGISTERS(32, "64", LIST_32, "32", "33", "34", "35", "36",
              "37", THIRTY_TWO(d, 0))
MMA_REGISTERS(64, "128", LIST_64, "64", "65", "66", "67", "68",
              "69", SIXTY_FOUR(d, 0))

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

// No instruction: it keeps the compiler from using these
// registers before this place, as they change unseen.
template <unsigned COUNT>
__device__ __forceinline__ void pin(float (&d)[COUNT]) {
    #pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        asm volatile("" : "+f"(d[i]) :: "memory");
    }
}

// ---- Numbers.

// Two numbers as bf16 in 32 bits.
__device__ __forceinline__ unsigned pack_bf16(float left,
                                              float right) {
    unsigned packed;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
        : "=r"(packed) : "f"(right), "f"(left));
    return packed;
}

// 2 to the power of x, by the unit for special functions.
__device__ __forceinline__ float power_of_2(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}
