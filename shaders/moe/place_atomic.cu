// Which row each choice gets. A lane takes one choice, and the
// next row that its expert has left: `next` starts as a copy of
// `starts`. Who comes first is first, so the order within an
// expert can differ from run to run.
// Constant: N, the choices, tokens times K.

extern "C" __global__ void __launch_bounds__(256)
place_atomic(const unsigned* __restrict__ chosen,
             unsigned* __restrict__ next,
             unsigned* __restrict__ row_of,
             unsigned* __restrict__ source) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    unsigned row = atomicAdd(&next[chosen[i]], 1u);
    row_of[i] = row;
    source[row] = i;
}
