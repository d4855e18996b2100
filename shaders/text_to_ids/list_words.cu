// Where the words of a text begin, one after the other. A
// single lane. `wall` is 1 for a byte at which a word begins,
// `length` is how many words there are.
// Constant: N, the bytes.

extern "C" __global__ void __launch_bounds__(1)
list_words(const unsigned* __restrict__ wall,
           unsigned* __restrict__ offset,
           unsigned* __restrict__ length) {
    unsigned words = 0;
    for (unsigned i = 0; i < N; i++) {
        if (wall[i] == 1) {
            offset[words] = i;
            words++;
        }
    }
    offset[words] = N;
    length[0] = words;
}
