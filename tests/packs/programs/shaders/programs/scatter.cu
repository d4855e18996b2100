// Puts each key into its place: even ones before odd ones, and within both in the order that they came in.
extern "C" __global__ void scatter(const unsigned int* keys, const unsigned int* starts, const unsigned int* total,
                                   unsigned int* parted, unsigned int* came_from) {
    __shared__ unsigned int part[256];
    unsigned int lane = threadIdx.x;
    unsigned int i = blockIdx.x * 256 + lane;
    unsigned int key = i < N ? keys[i] : 1;
    unsigned int even = 1 - key % 2;
    part[lane] = even;
    for (unsigned int step = 1; step < 256; step *= 2) {
        __syncthreads();
        unsigned int left = lane >= step ? part[lane - step] : 0;
        __syncthreads();
        part[lane] += left;
    }
    if (i < N) {
        unsigned int evens = starts[blockIdx.x] + part[lane] - even;
        unsigned int place = even ? evens : total[0] + i - evens;
        parted[place] = key;
        came_from[place] = i;
    }
}
