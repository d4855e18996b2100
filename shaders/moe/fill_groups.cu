// Buckets for each group of tokens: a group is GROUP_BLOCKS
// blocks of 256 choices, and its choices compete with each
// other alone. Each group has SLOTS rows in each expert.
// `row_of` and `starts` are those of `place_stable`.
// Constants: N, the choices, tokens times K; E, the experts;
// BLOCKS, N / 256, rounded up; GROUP_BLOCKS; SLOTS.
constexpr unsigned NOWHERE = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(256)
fill_groups(const unsigned* __restrict__ chosen,
            const unsigned* __restrict__ starts,
            const unsigned* __restrict__ row_of,
            unsigned* __restrict__ slot_of,
            unsigned* __restrict__ dropped) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    unsigned expert = chosen[i];
    unsigned group = i / (256 * GROUP_BLOCKS);
    unsigned first =
        starts[expert * BLOCKS + group * GROUP_BLOCKS];
    unsigned place = row_of[i] - first;
    bool fits = place < SLOTS;
    unsigned bucket = group * E + expert;
    slot_of[i] = fits ? bucket * SLOTS + place : NOWHERE;
    dropped[i] = fits ? 0 : 1;
}
