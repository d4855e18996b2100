// The words that this text has for the first time, and their
// bytes: how many of each block of 256 bytes. A lane has one
// byte, and that of a new word's first byte keeps its slot.
// Constant: N, the bytes.
#include "nothing.cuh"

constexpr unsigned END = 255;  // what stands behind the text
constexpr unsigned TAKEN = 0x80000000u;

// size: the bytes of the new word that begins at each byte, or
// 0.
extern "C" __global__ void __launch_bounds__(256)
count_new_words(const unsigned* __restrict__ text,
                const unsigned* __restrict__ wall,
                const unsigned* __restrict__ table,
                unsigned* __restrict__ slot,
                unsigned* __restrict__ size,
                unsigned* __restrict__ new_words,
                unsigned* __restrict__ new_bytes) {
    __shared__ unsigned words, bytes;
    if (threadIdx.x == 0) {
        words = 0;
        bytes = 0;
    }
    __syncthreads();
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < N) {
        unsigned at = slot[i];
        // Later ones of the same word are not the first.
        bool is_new = at != NOTHING
            && (table[3 * at] & TAKEN) != 0
            && table[3 * at + 2] == ~i;
        unsigned own = 0;
        if (is_new) {
            unsigned end = i + 1;
            while (end < N && text[end] != END
                   && wall[end] == 0) {
                end++;
            }
            own = end - i;
            atomicAdd(&words, 1u);
            atomicAdd(&bytes, own);
        } else {
            slot[i] = NOTHING;
        }
        size[i] = own;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        new_words[blockIdx.x] = words;
        new_bytes[blockIdx.x] = bytes;
    }
}
