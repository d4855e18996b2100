// Array of structs, both fields wanted: one load takes the
// whole struct. The struct is a float2, which is aligned to 8
// bytes and loads as one access of 8 bytes.
// Constants: N, the particles; BLOCK, the workgroup size.

extern "C" __global__ void
aos(const float2* __restrict__ particles,
    float* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float2 particle = particles[i];
        dst[i] = particle.x + particle.y;
    }
}
