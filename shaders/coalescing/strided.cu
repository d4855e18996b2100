// Strided copy: against the copy, only the index of the load
// changes. Neighbouring lanes load elements that are STRIDE
// apart; the first one is OFFSET.
// Constants: N, the elements copied; STRIDE and OFFSET, in
// elements; BLOCK, the workgroup size.

extern "C" __global__ void
strided(const float* __restrict__ src,
        float* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float value = src[i * STRIDE + OFFSET];
        dst[i] = value;    // the store stays as it was
    }
}
