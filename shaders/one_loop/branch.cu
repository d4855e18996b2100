// Two kinds of work: RUN neighbouring elements are of one kind.
// Constants: N, the elements; RUN, neighbours of one kind;
// TURNS of either loop; BLOCK, the workgroup size.

extern "C" __global__ void
branch(const float* __restrict__ src, float* __restrict__ dst) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= N) {
        return;
    }
    float x = 0.0f;
    if ((i / RUN) % 2 == 0) {
        x = src[i];
        for (unsigned turn = 0; turn < TURNS; turn++) {
            x = 0.5f * x + 1.0f;         // goes to 2
        }
    } else {
        x = src[i];
        for (unsigned turn = 0; turn < TURNS; turn++) {
            x = 1.0f - 0.5f * x * x;     // goes to 0.732
        }
    }
    dst[i] = x;
}
