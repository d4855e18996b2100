// Against rows without a limit: every expert has a bucket of
// SLOTS rows, whatever is chosen. A choice that finds its
// bucket full is dropped: its token skips this expert.
// `row_of` and `starts` are those of `place_stable`: within an
// expert, the first tokens come first.
// Constants: N, the choices, tokens times K; BLOCKS, N / 256,
// rounded up; SLOTS, the rows of a bucket.
constexpr unsigned NOWHERE = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(256)
fill_buckets(const unsigned* __restrict__ chosen,
             const unsigned* __restrict__ starts,
             const unsigned* __restrict__ row_of,
             unsigned* __restrict__ slot_of,
             unsigned* __restrict__ dropped) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    unsigned expert = chosen[i];
    unsigned place = row_of[i] - starts[expert * BLOCKS];
    bool fits = place < SLOTS;
    slot_of[i] = fits ? expert * SLOTS + place : NOWHERE;
    dropped[i] = fits ? 0 : 1;
}
