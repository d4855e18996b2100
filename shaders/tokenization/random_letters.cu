// A text of random letters, a byte in a u32: words of LETTERS
// letters with a space before each.
// Constants: N, the bytes; LETTERS, those of each word.

extern "C" __global__ void __launch_bounds__(256)
random_letters(const unsigned* __restrict__ packed,
               unsigned* __restrict__ text) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= N) {
        return;
    }
    unsigned byte = (packed[i / 4] >> (8 * (i % 4))) & 255;
    bool is_space = i % (LETTERS + 1) == 0;
    text[i] = is_space ? ' ' : 'a' + byte % 26;
}
