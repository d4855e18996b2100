// The sum of CHUNK elements a workgroup, which has one lane.
extern "C" __global__ void serial_sum(const float* x, float* sums) {
    float sum = 0.0f;
    unsigned int end = min(N, (blockIdx.x + 1) * CHUNK);
    for (unsigned int i = blockIdx.x * CHUNK; i < end; i++) {
        sum += x[i];
    }
    sums[blockIdx.x] = sum;
}
