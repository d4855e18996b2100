// Adds to each element what all blocks before its own came to.
extern "C" __global__ void add_starts(unsigned int* scanned, const unsigned int* starts) {
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) {
        scanned[i] += starts[blockIdx.x];
    }
}
