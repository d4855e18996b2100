// How often each pair of neighbouring tokens occurs. A lane has
// one position and adds 1 to its pair's counter, unless a word
// begins between the two.
// Constant: V, the tokens that there can be. In `counts`, row
// a, column b is how often a stands before b.

extern "C" __global__ void __launch_bounds__(256)
count_pairs(const unsigned* __restrict__ ids,
            const unsigned* __restrict__ offset,
            const unsigned* __restrict__ wall,
            const unsigned* __restrict__ length,
            unsigned* __restrict__ counts) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i + 1 >= length[0]) {
        return;
    }
    if (wall[offset[i + 1]] == 1) {
        return;
    }
    unsigned pair = ids[i] * V + ids[i + 1];
    atomicAdd(&counts[pair], 1u);
}
