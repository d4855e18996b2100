// Stores a consumer's 64 x BN sums to C, from registers.
#pragma once
#include "hopper.cuh"

// Lane l holds columns 2 (l % 4) and the next one of rows l / 4
// and l / 4 + 8 of each eight columns (PTX ISA, "Register
// Fragments for wgmma.mma_async.m64nNk16", matrix D).
__device__ void store_sums(const float (&sums)[128], bf16* c,
                           unsigned first_row,
                           unsigned first_column) {
    unsigned warp = threadIdx.x % 128 / 32;
    unsigned lane = threadIdx.x % 32;
    unsigned row = first_row + 16 * warp + lane / 4;
    #pragma unroll
    for (unsigned j = 0; j < BN / 8; j++) {
        unsigned column = first_column + 8 * j + lane % 4 * 2;
        const float* own = sums + 4 * j;
        unsigned upper = pack_bf16(own[0], own[1]);
        unsigned lower = pack_bf16(own[2], own[3]);
        bf16* to = c + row * N + column;
        if (row < M && column < N) {
            *(unsigned*)to = upper;
        }
        if (row + 8 < M && column < N) {
            *(unsigned*)(to + 8 * N) = lower;
        }
    }
}
