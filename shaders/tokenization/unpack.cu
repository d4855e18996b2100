// The text as it comes, four bytes in a u32, to one byte in a
// u32. A character that the end cuts is left out: END is a
// byte that no UTF-8 has.
// Constants: N, the bytes; WORDS, the u32s, read in turn.
constexpr unsigned END = 255;

__device__ unsigned packed_byte(const unsigned* packed,
                                unsigned i) {
    unsigned four = packed[(i / 4) % WORDS];
    return (four >> (8 * (i % 4))) & 255;
}

// Bytes of the character that begins with this one.
__device__ unsigned size(unsigned first) {
    if (first < 192) {
        return 1;
    }
    return first < 224 ? 2 : first < 240 ? 3 : 4;
}

extern "C" __global__ void __launch_bounds__(256)
unpack(const unsigned* __restrict__ packed,
       unsigned* __restrict__ text) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    // A byte from 128 to 191 continues a character.
    unsigned first = i;
    while (first > 0 && first + 3 > i
           && (packed_byte(packed, first) & 192) == 128) {
        first--;
    }
    bool is_cut = first + size(packed_byte(packed, first)) > N;
    text[i] = is_cut ? END : packed_byte(packed, i);
}
