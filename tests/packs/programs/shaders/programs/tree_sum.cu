// The sum of CHUNK elements a workgroup: lane by lane, then in a tree.
extern "C" __global__ void __launch_bounds__(256) tree_sum(const float* x, float* sums) {
    __shared__ float part[256];
    unsigned int lane = threadIdx.x;
    float sum = 0.0f;
    unsigned int end = min(N, (blockIdx.x + 1) * CHUNK);
    for (unsigned int i = blockIdx.x * CHUNK + lane; i < end; i += 256) {
        sum += x[i];
    }
    part[lane] = sum;
    for (unsigned int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (lane < half) {
            part[lane] += part[lane + half];
        }
    }
    if (lane == 0) {
        sums[blockIdx.x] = part[0];
    }
}
