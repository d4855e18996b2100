// Vector copy: against the copy, a lane moves four elements at
// once. A quarter of the lanes make a quarter of the requests,
// each four times as wide.
// Constants: N, the vectors of four elements; BLOCK, the
// workgroup size.

extern "C" __global__ void
vec4(const float4* __restrict__ src, float4* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    unsigned i = gid_x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float4 value = src[i];    // one access of 16 bytes
        dst[i] = value;
    }
}
