// The plain copy, 16 bytes a lane: as many bytes in flight for each instruction as a lane can ask for.
extern "C" __global__ void copy(const float4* __restrict__ src, float4* __restrict__ dst) {
    // A grid's second dimension goes on where the first ends, as in WGSL.
    unsigned int i = (blockIdx.y * gridDim.x + blockIdx.x) * 256u + threadIdx.x;
    dst[i] = src[i];
}
