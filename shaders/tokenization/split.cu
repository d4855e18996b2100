// The text as its bytes: each is a token of its own. A lane has
// one byte, and finds out whether a word begins there.
// Constants: N, the bytes; TEXT, those of the text, which is
// read again behind its end; WALLS, 0 if all is one
// word, 1 if words are walls, n if a word is n bytes.
#include "words.cuh"

// wall is 1 for a byte at which a word begins; length says how
// many tokens there are.
extern "C" __global__ void __launch_bounds__(256)
split(const unsigned* __restrict__ text,
      unsigned* __restrict__ ids,
      unsigned* __restrict__ offset,
      unsigned* __restrict__ wall,
      unsigned* __restrict__ length) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    ids[i] = byte_at(text, i);
    offset[i] = i;
    wall[i] = word_begins(text, i);
    if (i == 0) {
        offset[N] = N;
        length[0] = N;
    }
}
