// Copy: lane i loads element i and stores element i.
// Neighbouring lanes touch neighbouring elements, in the load
// and in the store.
// Constants: N, the elements; BLOCK, the workgroup size.

extern "C" __global__ void
copy(const float* __restrict__ src, float* __restrict__ dst) {
    // The grid is the WGSL kernel's: longer arrays go on along
    // y.
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float value = src[i];
        dst[i] = value;
    }
}
