// Where each count's rows start: the exclusive scan, the sum of
// all counts before it. `starts` has one element more than
// `counts`: the sum of all.
// One block takes 256 counts at a time. In each step, a lane
// adds the sum that lies twice as far to the left.
// Constant: N, the counts.

extern "C" __global__ void __launch_bounds__(256)
scan(const unsigned* __restrict__ counts,
     unsigned* __restrict__ starts) {
    __shared__ unsigned part[256];
    unsigned lane = threadIdx.x;
    unsigned before = 0;
    for (unsigned first = 0; first < N; first += 256) {
        unsigned i = first + lane;
        unsigned own = i < N ? counts[i] : 0;
        part[lane] = own;
        for (unsigned step = 1; step < 256; step *= 2) {
            __syncthreads();
            unsigned left = 0;
            if (lane >= step) {
                left = part[lane - step];
            }
            __syncthreads();
            part[lane] += left;
        }
        if (i < N) {
            starts[i] = before + part[lane] - own;
        }
        __syncthreads();
        before += part[255];
        __syncthreads();
    }
    if (lane == 0) {
        starts[N] = before;
    }
}
