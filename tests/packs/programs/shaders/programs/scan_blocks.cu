// The exclusive scan of each block of 256 elements, and the block's sum.
extern "C" __global__ void scan_blocks(const unsigned int* x, unsigned int* scanned, unsigned int* sums) {
    __shared__ unsigned int part[256];
    unsigned int lane = threadIdx.x;
    unsigned int i = blockIdx.x * 256 + lane;
    unsigned int own = i < N ? x[i] : 0;
    part[lane] = own;
    for (unsigned int step = 1; step < 256; step *= 2) {
        __syncthreads();
        unsigned int left = lane >= step ? part[lane - step] : 0;
        __syncthreads();
        part[lane] += left;
    }
    if (i < N) {
        scanned[i] = part[lane] - own;
    }
    if (lane == 255) {
        sums[blockIdx.x] = part[lane];
    }
}
