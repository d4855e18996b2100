// The choices of each expert in two parts: those that the
// router makes without noise as well, and those that only the
// noise brings. A block has one expert.
// Constants: N, the choices, tokens times K; K, the experts
// that a token goes to. `quiet_chosen` are the choices without
// noise.

extern "C" __global__ void __launch_bounds__(256)
split_choices(const unsigned* __restrict__ chosen,
              const unsigned* __restrict__ quiet_chosen,
              unsigned* __restrict__ by_noise) {
    __shared__ unsigned kept[256], brought[256];
    unsigned lane = threadIdx.x;
    unsigned expert = blockIdx.x;
    unsigned same = 0, other = 0;
    for (unsigned i = lane; i < N; i += 256) {
        if (chosen[i] == expert) {
            unsigned first = i / K * K;
            unsigned found = 0;
            for (unsigned j = first; j < first + K; j++) {
                if (quiet_chosen[j] == expert) {
                    found = 1;
                }
            }
            same += found;
            other += 1 - found;
        }
    }
    kept[lane] = same;
    brought[lane] = other;
    for (unsigned step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (lane < step) {
            kept[lane] += kept[lane + step];
            brought[lane] += brought[lane + step];
        }
    }
    if (lane == 0) {
        by_noise[2 * expert] = kept[0];
        by_noise[2 * expert + 1] = brought[0];
    }
}
