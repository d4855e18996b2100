// Struct of arrays: against the array of structs, each field
// has an array of its own.
// One load of 8 bytes becomes two loads of 4 bytes.
// Constants: N, the particles; BLOCK, the workgroup size.

extern "C" __global__ void
soa(const float* __restrict__ xs,
    const float* __restrict__ ys,
    float* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float x = xs[i];
        float y = ys[i];
        dst[i] = x + y;
    }
}
