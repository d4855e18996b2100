// The greatest of all counters: each lane takes 16 of them, a
// block finds its maximum as a tree, and the blocks meet at
// best[0].
// Constant: CELLS, the counters, V * V.

extern "C" __global__ void __launch_bounds__(256)
most(const unsigned* __restrict__ counts,
     unsigned* __restrict__ best) {
    __shared__ unsigned part[256];
    unsigned lane = threadIdx.x;
    unsigned greatest = 0;
    for (unsigned turn = 0; turn < 16; turn++) {
        unsigned i = (blockIdx.x * 16 + turn) * 256 + lane;
        if (i < CELLS) {
            greatest = max(greatest, counts[i]);
        }
    }
    part[lane] = greatest;
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step) {
            part[lane] = max(part[lane], part[lane + step]);
        }
    }
    if (lane == 0) {
        atomicMax(&best[0], part[0]);
    }
}
