// The tensor cores as one warp uses them: fragments from shared
// memory to registers, and products of 16 x 16 with 16 x 8.
#pragma once

// Four 8 x 8 matrices from shared memory to a warp's registers.
// Lane l says where row l % 8 of matrix l / 8 starts.
__device__ __forceinline__ void ldmatrix(unsigned (&to)[4],
                                         unsigned row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]),
                   "=r"(to[3])
                 : "r"(row) : "memory");
}

// The same, and each matrix transposed.
__device__ __forceinline__ void ldmatrix_transposed(
        unsigned (&to)[4], unsigned row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans"
                 ".shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]),
                   "=r"(to[3])
                 : "r"(row) : "memory");
}

// d += a b for 16 x 8 results of a warp (PTX ISA, "Matrix
// Fragments for mma.m16n8k16 with floating point type").
__device__ __forceinline__ void warp_mma(float (&d)[4],
                                         const unsigned* a,
                                         unsigned b0,
                                         unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col"
                 ".f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]),
                   "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]),
                   "r"(b0), "r"(b1));
}
