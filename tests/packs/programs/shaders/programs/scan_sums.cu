// The exclusive scan of all sums by one workgroup, 256 at a time, and their total.
extern "C" __global__ void scan_sums(const unsigned int* sums, unsigned int* starts, unsigned int* total) {
    __shared__ unsigned int part[256];
    unsigned int lane = threadIdx.x;
    unsigned int before = 0;
    for (unsigned int first = 0; first < BLOCKS; first += 256) {
        unsigned int i = first + lane;
        unsigned int own = i < BLOCKS ? sums[i] : 0;
        part[lane] = own;
        for (unsigned int step = 1; step < 256; step *= 2) {
            __syncthreads();
            unsigned int left = lane >= step ? part[lane - step] : 0;
            __syncthreads();
            part[lane] += left;
        }
        if (i < BLOCKS) {
            starts[i] = before + part[lane] - own;
        }
        __syncthreads();
        before += part[255];
        __syncthreads();
    }
    if (lane == 0) {
        total[0] = before;
    }
}
