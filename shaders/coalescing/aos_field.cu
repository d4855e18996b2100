// One field out of an array of structs.
// The lanes' elements are neighbours, but their x fields are a whole struct, 8 bytes, apart.
// From outside: N, the particles, and BLOCK, the lanes in a workgroup.

struct Particle {
    float x;
    float y;
};

extern "C" __global__ void aos_field(const Particle* __restrict__ particles, float* __restrict__ dst) {
    unsigned int i = blockIdx.x * BLOCK + threadIdx.x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float x = particles[i].x;    // one access of 4 bytes; y lies between this x and the next
        dst[i] = x;
    }
}
