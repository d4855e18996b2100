// The twin of shaders/coalescing/aos.wgsl.
extern "C" __global__ void kernel(const float2 *particles, float *dst) {
    unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * BLOCK + threadIdx.x;
    if (i < N) {
        float2 particle = particles[i];
        dst[i] = particle.x + particle.y;
    }
}
