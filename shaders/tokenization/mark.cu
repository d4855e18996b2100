// Which tokens begin a merge: those of the pair's left kind
// with one of its right kind behind them. In "aaaa" three
// places do, and only the first and the third may: of a run of
// equal tokens, every second one begins a merge.

extern "C" __global__ void __launch_bounds__(256)
mark(const unsigned* __restrict__ ids,
     const unsigned* __restrict__ offset,
     const unsigned* __restrict__ wall,
     const unsigned* __restrict__ length,
     const unsigned* __restrict__ pair,
     unsigned* __restrict__ begins) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= length[0]) {
        return;
    }
    bool merges = false;
    if (i + 1 < length[0] && ids[i] == pair[0]) {
        merges = ids[i + 1] == pair[1]
            && wall[offset[i + 1]] == 0;
    }
    if (merges && pair[0] == pair[1]) {
        // How far the run reaches back, within the word.
        unsigned first = i;
        while (first > 0 && wall[offset[first]] == 0
               && ids[first - 1] == pair[0]) {
            first--;
        }
        merges = (i - first) % 2 == 0;
    }
    begins[i] = merges;
}
