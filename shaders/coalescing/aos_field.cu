// One field out of an array of structs.
// The lanes' elements are neighbours, but their x fields are a
// whole struct, 8 bytes, apart.
// Constants: N, the particles; BLOCK, the workgroup size.

struct Particle {
    float x;
    float y;
};

extern "C" __global__ void
aos_field(const Particle* __restrict__ particles,
          float* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        // One access of 4 bytes: the next x is 8 bytes further.
        float x = particles[i].x;
        dst[i] = x;
    }
}
