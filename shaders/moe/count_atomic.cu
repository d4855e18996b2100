// How many rows each expert gets. A lane takes one choice, and
// adds 1 to its expert's counter in global memory.
// Constants: N, the choices, tokens times K; E, the experts.

extern "C" __global__ void __launch_bounds__(256)
count_atomic(const unsigned* __restrict__ chosen,
             unsigned* __restrict__ counts) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) {
        unsigned expert = chosen[i];
        atomicAdd(&counts[expert], 1u);
    }
}
