// How many words of 4 bytes some buffers have: these hold
// whole numbers.
// A kernel in CUDA C++ is not told how long a buffer is: the
// lesson tells it, in A_WORDS to H_WORDS. The one in WGSL asks
// the buffers themselves.
// Constants: COUNT, how many of the eight are counted; FIRST,
// where in the ledger they begin; A_WORDS to H_WORDS.

extern "C" __global__ void __launch_bounds__(1)
weigh_ids(const unsigned* __restrict__ a,
          const unsigned* __restrict__ b,
          const unsigned* __restrict__ c,
          const unsigned* __restrict__ d,
          const unsigned* __restrict__ e,
          const unsigned* __restrict__ f,
          const unsigned* __restrict__ g,
          const unsigned* __restrict__ h,
          unsigned* __restrict__ ledger) {
    unsigned words[8] = {A_WORDS, B_WORDS, C_WORDS, D_WORDS,
                         E_WORDS, F_WORDS, G_WORDS, H_WORDS};
    for (unsigned i = 0; i < COUNT; i++) {
        ledger[FIRST + i] = words[i];
    }
}
