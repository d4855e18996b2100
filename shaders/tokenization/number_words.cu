// New words get numbers in the order in which the text has
// them, and their bytes become tokens, one word behind the
// other. A lane has one byte; that of a new word's first byte
// copies the word.
// Constants: N, the bytes; WORD_ROOM and TOKEN_ROOM, for so
// many words and tokens.
#include "scan_block.cuh"

// word_starts, byte_starts: the new words, and their bytes,
// before each block; totals: words and tokens of the texts
// before; word: first token and tokens of each, and how often
// it occurs, which is written later; trouble: 2 if there is not
// enough room.
extern "C" __global__ void __launch_bounds__(256)
number_words(const unsigned* __restrict__ text,
             const unsigned* __restrict__ size,
             const unsigned* __restrict__ slot,
             const unsigned* __restrict__ word_starts,
             const unsigned* __restrict__ byte_starts,
             const unsigned* __restrict__ totals,
             unsigned* __restrict__ table,
             unsigned* __restrict__ word,
             unsigned* __restrict__ word_slot,
             unsigned* __restrict__ tokens,
             unsigned* __restrict__ trouble) {
    unsigned lane = threadIdx.x;
    unsigned i = blockIdx.x * 256 + lane;
    unsigned own = i < N ? size[i] : 0;
    unsigned nth = scan_block(lane, own > 0 ? 1 : 0);
    __syncthreads();
    unsigned behind = scan_block(lane, own);
    if (own == 0) {
        return;
    }
    unsigned number =
        totals[0] + word_starts[blockIdx.x] + nth - 1;
    unsigned first =
        totals[1] + byte_starts[blockIdx.x] + behind - own;
    if (number >= WORD_ROOM || first + own > TOKEN_ROOM) {
        atomicExch(&trouble[0], 2u);
        return;
    }
    word[3 * number] = first;
    word[3 * number + 1] = own;
    word_slot[number] = slot[i];
    table[3 * slot[i]] = number + 1;
    for (unsigned k = 0; k < own; k++) {
        tokens[first + k] = text[i + k];
    }
}
