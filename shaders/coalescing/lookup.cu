// Lookup: lane i loads the element of a table that pick[i]
// names. The lanes of a warp pick elements here and there, some
// of them the same.
// Constants: N, the elements looked up; BLOCK, the workgroup
// size.

extern "C" __global__ void
lookup(const unsigned* __restrict__ pick,
       const float* __restrict__ table,
       float* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        unsigned place = pick[i];
        float value = table[place];
        dst[i] = value;
    }
}
