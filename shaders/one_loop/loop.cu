// The loop, shared out: LANES lanes take turns at N elements.
// With 1 lane it is the loop as Python runs it; with N lanes
// each has one element.
// Constants: N, the elements; LANES; BLOCK, the workgroup size.

extern "C" __global__ void
loop(const float* __restrict__ src, float* __restrict__ dst) {
    unsigned gid_x = blockIdx.x * BLOCK + threadIdx.x;
    for (unsigned i = gid_x; i < N; i += LANES) {
        dst[i] = 2.0f * src[i];
    }
}
