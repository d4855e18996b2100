// The special tokens of a chat: <|im_start|> and <|im_end|>
// are one token each, wherever they are in the text. No word
// crosses their ends. A single lane. `names` has their names,
// one after the other.
// Constant: N, the bytes.
constexpr unsigned NOTHING = 0xffffffffu;
constexpr unsigned START_BYTES = 12;
constexpr unsigned END_BYTES = 10;
constexpr unsigned START_ID = 100264;
constexpr unsigned END_ID = 100265;

// Whether the text has this name at i.
__device__ bool has_name(const unsigned* text,
                         const unsigned* names, unsigned i,
                         unsigned name, unsigned size) {
    if (i + size > N) {
        return false;
    }
    for (unsigned k = 0; k < size; k++) {
        if (text[i + k] != names[name + k]) {
            return false;
        }
    }
    return true;
}

__device__ void make_token(unsigned* wall, unsigned* ids,
                           unsigned i, unsigned size,
                           unsigned id) {
    for (unsigned k = 0; k < size; k++) {
        wall[i + k] = 0;
        ids[i + k] = NOTHING;
    }
    wall[i] = 1;
    ids[i] = id;
    if (i + size < N) {
        wall[i + size] = 1;
    }
}

extern "C" __global__ void __launch_bounds__(1)
special_tokens(const unsigned* __restrict__ text,
               const unsigned* __restrict__ names,
               unsigned* __restrict__ wall,
               unsigned* __restrict__ ids) {
    for (unsigned i = 0; i < N; i++) {
        if (has_name(text, names, i, 0, START_BYTES)) {
            make_token(wall, ids, i, START_BYTES, START_ID);
        } else if (has_name(text, names, i, START_BYTES,
                            END_BYTES)) {
            make_token(wall, ids, i, END_BYTES, END_ID);
        }
    }
}
