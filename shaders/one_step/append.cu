// The token that was picked goes to the end of the text, and into
// the window: its tokens move one place to the left, and the
// first one is gone. A sample is a line of the text: the prompt,
// WRITTEN tokens, and an end of the line. `cut` says where the
// prompt and each token begin.
// One thread does it.
// Constants: TOKENS, tokens of the window; WRITTEN, tokens of a
// sample.

extern "C" __global__ void __launch_bounds__(1)
append(const unsigned* __restrict__ picked,
       unsigned* __restrict__ picks,
       unsigned* __restrict__ window,
       unsigned* __restrict__ text,
       unsigned* __restrict__ cut) {
    unsigned line = picks[0] / WRITTEN;
    unsigned column = picks[0] % WRITTEN;
    unsigned start = line * (TOKENS + WRITTEN + 1);
    unsigned cell = line * (WRITTEN + 2);
    if (column == 0) {
        for (unsigned t = 0; t < TOKENS; t++) {
            text[start + t] = window[t];
        }
        cut[cell] = start;
        cut[cell + 1] = start + TOKENS;
    }
    for (unsigned t = 1; t < TOKENS; t++) {
        window[t - 1] = window[t];
    }
    window[TOKENS - 1] = picked[0];
    unsigned end = start + TOKENS + column + 1;
    text[end - 1] = picked[0];
    cut[cell + column + 2] = end;
    if (column == WRITTEN - 1) {
        text[end] = 10;  // the end of a line
        cut[cell + WRITTEN + 2] = end + 1;
    }
    picks[0] += 1;
}
