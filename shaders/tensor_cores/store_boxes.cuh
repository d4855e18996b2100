// Sums on their way from registers to a matrix, 64 x 64 at a
// time: as bf16 into a buffer in shared memory, and from there
// by the copy engine.
#pragma once

// Bytes of a buffer for 64 x 64 of C; each consumer has two.
constexpr unsigned C_BUFFER = 64 * 64 * 2;

// Has the copy engine take a box from shared memory to the
// matrix. Nothing is written outside of it.
__device__ void store_box(const TensorMap& map, unsigned column,
                          unsigned row, unsigned from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta"
                 ".tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(&map), "r"(column), "r"(row), "r"(from)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits for the 128 threads of a warpgroup alone; barrier 0 is
// that of `__syncthreads`.
__device__ void warpgroup_sync(unsigned warpgroup) {
    asm volatile("bar.sync %0, 128;" :: "r"(warpgroup)
                 : "memory");
}

// Four 8 x 8 matrices of packed sums, each lane's eight floats
// from `own` on, from a warp's registers to shared memory. Lane
// l says where row l % 8 of matrix l / 8 starts.
__device__ void store_matrices(unsigned row_address,
                               const float* own) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "[%0], {%1, %2, %3, %4};"
                 :: "r"(row_address),
                    "r"(pack_bf16(own[0], own[1])),
                    "r"(pack_bf16(own[2], own[3])),
                    "r"(pack_bf16(own[4], own[5])),
                    "r"(pack_bf16(own[6], own[7])) : "memory");
}

// 64 x 64 sums, each lane's 32 from `own` on, into a buffer.
__device__ void fill_buffer(const float* own, unsigned buffer) {
    unsigned warp = threadIdx.x % 128 / 32;
    unsigned lane = threadIdx.x % 32;
    #pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        // 16 columns of the warp's 16 rows. Row r has the i-th
        // 16 of its 128 bytes at i ^ (r % 8): the swizzle.
        unsigned row_address =
            buffer + (16 * warp + lane % 16) * 128;
        unsigned chunk = 2 * j + lane / 16;
        unsigned swizzled = chunk ^ (lane % 8);
        store_matrices(row_address + swizzled * 16,
                       own + 8 * j);
    }
}
