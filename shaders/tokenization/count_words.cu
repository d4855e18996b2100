// How often each word occurs. A lane has one byte; that of a
// word's first byte looks the word up in a hash table. A new
// word takes a free slot: whichever lane comes first takes it,
// and the others that have the same word find it there.
// Constants: N, the bytes; SLOTS, those of the table, a power
// of two.
#include "nothing.cuh"

constexpr unsigned END = 255;  // what stands behind the text
// A slot that was taken for the word at a byte of this text.
constexpr unsigned TAKEN = 0x80000000u;
// So many slots are tried.
constexpr unsigned TRIES = 4096;

struct Words {
    const unsigned* text;
    const unsigned* wall;
    const unsigned* word;
    const unsigned* tokens;

    __device__ bool ends(unsigned i) const {
        return i >= N || wall[i] != 0 || text[i] == END;
    }

    // Whether a slot has the word of such a size at `start`.
    __device__ bool has_word(unsigned held, unsigned start,
                             unsigned size) const {
        if ((held & TAKEN) != 0) {
            unsigned other = held & ~TAKEN;
            for (unsigned k = 0; k < size; k++) {
                if ((k > 0 && ends(other + k))
                    || text[other + k] != text[start + k]) {
                    return false;
                }
            }
            return ends(other + size);
        }
        unsigned numbered = held - 1;
        if (word[3 * numbered + 1] != size) {
            return false;
        }
        unsigned first = word[3 * numbered];
        for (unsigned k = 0; k < size; k++) {
            if (tokens[first + k] != text[start + k]) {
                return false;
            }
        }
        return true;
    }
};

// word: first token, tokens and times of words with a number.
// table, of each slot: 0 if it is free, the word's number and
// 1, or TAKEN and a byte; how often the word occurs; ~ the
// first byte. slot: that of the word that begins at each byte,
// or NOTHING. trouble: 1 if the table is too small.
extern "C" __global__ void __launch_bounds__(256)
count_words(const unsigned* __restrict__ text,
            const unsigned* __restrict__ wall,
            const unsigned* __restrict__ word,
            const unsigned* __restrict__ tokens,
            unsigned* __restrict__ table,
            unsigned* __restrict__ slot,
            unsigned* __restrict__ trouble) {
    unsigned start = blockIdx.x * 256 + threadIdx.x;
    if (start >= N) {
        return;
    }
    slot[start] = NOTHING;
    if (wall[start] == 0) {
        return;
    }
    Words words{text, wall, word, tokens};
    // FNV-1a, a hash of bytes.
    unsigned hash = 2166136261u;
    unsigned end = start;
    do {
        hash = (hash ^ text[end]) * 16777619u;
        end++;
    } while (!words.ends(end));
    unsigned at = hash ^ (hash >> 15);
    for (unsigned tries = 0; tries < TRIES; tries++, at++) {
        at &= SLOTS - 1;
        unsigned held = *(volatile unsigned*)&table[3 * at];
        if (held == 0) {
            held = atomicCAS(&table[3 * at], 0u, TAKEN | start);
            held = held == 0 ? TAKEN | start : held;
        }
        if (words.has_word(held, start, end - start)) {
            slot[start] = at;
            atomicAdd(&table[3 * at + 1], 1u);
            // The earliest byte has the greatest ~; 0: none.
            atomicMax(&table[3 * at + 2], ~start);
            return;
        }
    }
    atomicExch(&trouble[0], 1u);
}
