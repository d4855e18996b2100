// The loop, shared out: LANES lanes take the N elements in turns.
// With 1 lane it is the loop as Python runs it; with N lanes each has one element.
// From outside: N, the elements, LANES, and BLOCK, the lanes in a workgroup.

extern "C" __global__ void loop(const float* __restrict__ src, float* __restrict__ dst) {
    for (unsigned int i = blockIdx.x * BLOCK + threadIdx.x; i < N; i += LANES) {
        dst[i] = 2.0f * src[i];
    }
}
