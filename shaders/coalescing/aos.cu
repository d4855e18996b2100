// Array of structs, both fields wanted: one load takes the whole struct.
// The struct is a float2, which is aligned to 8 bytes and loads as one access of 8 bytes.
// From outside: N, the particles, and BLOCK, the lanes in a workgroup.

extern "C" __global__ void aos(const float2* __restrict__ particles, float* __restrict__ dst) {
    unsigned int i = blockIdx.x * BLOCK + threadIdx.x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float2 particle = particles[i];
        dst[i] = particle.x + particle.y;
    }
}
