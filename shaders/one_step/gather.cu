// The batch of a step: its rows are tokens that follow each
// other in the text, and the next step goes on where this one
// ends. After the text's end it begins again. A row's target is
// the token after its own.
// A thread has one row.
// Constants: ROWS, tokens of all sequences; STREAM, tokens of
// the text; VOCAB.

extern "C" __global__ void __launch_bounds__(64)
gather(const unsigned* __restrict__ updates,
       const unsigned* __restrict__ tokens,
       unsigned* __restrict__ ids,
       unsigned* __restrict__ targets) {
    unsigned row = blockIdx.x * 64 + threadIdx.x;
    if (row >= ROWS) {
        return;
    }
    unsigned place = updates[0] * ROWS + row;
    // A token that the vocabulary does not have would read a
    // layer's weights. A check of the program reports it.
    ids[row] = min(tokens[place % STREAM], VOCAB - 1);
    targets[row] = min(tokens[(place + 1) % STREAM], VOCAB - 1);
}
