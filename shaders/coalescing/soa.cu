// Struct of arrays: against the array of structs, each field has an array of its own.
// One load of 8 bytes becomes two loads of 4 bytes.
// From outside: N, the particles, and BLOCK, the lanes in a workgroup.

extern "C" __global__ void soa(const float* __restrict__ xs, const float* __restrict__ ys, float* __restrict__ dst) {
    unsigned int i = blockIdx.x * BLOCK + threadIdx.x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float x = xs[i];
        float y = ys[i];
        dst[i] = x + y;
    }
}
