// Most words are tokens: they are looked up as a whole. A lane
// has one byte; that of a word's first byte looks for the word.
// If it is no token, it waits to be merged.
// Constants: N, the bytes; PLACES, those of the table, a power
// of two; LOOK, 0 if all words wait.
constexpr unsigned END = 255;  // what stands behind the text
constexpr unsigned NOTHING = 0xffffffffu;
// A longer word is left to the processor.
constexpr unsigned LONGEST = 1024;

__device__ bool is_spelled(const unsigned* spelling,
                           unsigned first, const unsigned* word,
                           unsigned length) {
    for (unsigned k = 0; k < length; k++) {
        unsigned four = spelling[(first + k) / 4];
        unsigned byte = (four >> (8 * ((first + k) % 4))) & 255;
        if (byte != word[k]) {
            return false;
        }
    }
    return true;
}

// The token of such a word; NOTHING if there is none.
__device__ unsigned find(const unsigned* whole,
                         const unsigned* spelling,
                         unsigned hash, const unsigned* word,
                         unsigned length) {
    unsigned place = hash ^ (hash >> 15);
    while (true) {
        // A token's hash and id, where its bytes begin in
        // spelling, and how many they are.
        const unsigned* at = whole + 4 * (place & (PLACES - 1));
        if (at[3] == 0) {
            return NOTHING;
        }
        if (at[3] == length && at[0] == hash
            && is_spelled(spelling, at[2], word, length)) {
            return at[1];
        }
        place++;
    }
}

// spelling has the bytes of all tokens, four in a u32; ids the
// token that begins at each byte, or NOTHING; words the first
// bytes of the words that wait; waiting[0] how many do, and
// waiting[1] is 1 if a word is too long.
extern "C" __global__ void __launch_bounds__(256)
find_words(const unsigned* __restrict__ text,
           const unsigned* __restrict__ wall,
           const unsigned* __restrict__ whole,
           const unsigned* __restrict__ spelling,
           unsigned* __restrict__ ids,
           unsigned* __restrict__ words,
           unsigned* __restrict__ waiting) {
    unsigned start = blockIdx.x * 256 + threadIdx.x;
    if (start >= N || wall[start] == 0) {
        return;
    }
    // FNV-1a, a hash of bytes.
    unsigned hash = 2166136261u;
    unsigned end = start;
    do {
        hash = (hash ^ text[end]) * 16777619u;
        end++;
    } while (end < N && end - start <= LONGEST
             && wall[end] == 0 && text[end] != END);
    if (end - start > LONGEST) {
        atomicOr(&waiting[1], 1u);
        return;
    }
    if (LOOK == 1) {
        unsigned id = find(whole, spelling, hash, text + start,
                           end - start);
        if (id != NOTHING) {
            ids[start] = id;
            return;
        }
    }
    words[atomicAdd(&waiting[0], 1u)] = start;
}
