// How long a step takes, as a model: what a GPU computes, and
// what it waits for others. A bar for each stage, in seconds:
// first one after the other, then with transfers behind the
// arithmetic. What cannot be hidden is the first transfer, and
// what is longer than the arithmetic.
// A thread has one stage.
// Constants: COMPUTE, seconds of arithmetic; TRANSFER, seconds
// for 2 bytes a parameter; BUCKETS, transfers that it is cut
// into.

extern "C" __global__ void __launch_bounds__(4)
estimate(float* __restrict__ in_turn,
         float* __restrict__ overlapped) {
    unsigned stage = threadIdx.x;
    float moved = TRANSFER * (stage == 3 ? 3.0f : 2.0f);
    in_turn[2 * stage] = COMPUTE;
    in_turn[2 * stage + 1] = moved;
    float first = moved / BUCKETS;
    overlapped[2 * stage] = COMPUTE;
    overlapped[2 * stage + 1] = fmaxf(first, moved - COMPUTE);
}
