// The twin of shaders/coalescing/aos_field.wgsl.
struct Particle {
    float x, y;
};

extern "C" __global__ void kernel(const Particle *particles, float *dst) {
    unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x;
    if (i < N) {
        dst[i] = particles[i].x;
    }
}
