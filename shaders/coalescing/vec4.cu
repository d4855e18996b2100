// Vector copy: against the copy, a lane moves four elements at once.
// A quarter of the lanes make a quarter of the requests, each four times as wide.
// From outside: N, the vectors of four elements, and BLOCK, the lanes in a workgroup.

extern "C" __global__ void vec4(const float4* __restrict__ src, float4* __restrict__ dst) {
    unsigned int i = blockIdx.x * BLOCK + threadIdx.x + blockIdx.y * (gridDim.x * BLOCK);
    if (i < N) {
        float4 value = src[i];    // one access of 16 bytes
        dst[i] = value;
    }
}
