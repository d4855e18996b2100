// The pairs of a text, each once, with the number of its
// places: first the one that is merged in this round, then the
// others, the most frequent ones first. Of equal ones, the one
// that the text has first comes first. A single lane.
// Constants: V, the tokens that there can be; ROOM, the rows of
// the list. Of each row, `listed` has where its tokens begin,
// how many they are, and how often they are neighbours.

// Whether such a pair comes before that of a row.
__device__ bool comes_before(const unsigned* counts,
                             const unsigned* pair,
                             const unsigned* listed,
                             const unsigned* listed_tokens,
                             unsigned a, unsigned b,
                             unsigned row) {
    if (listed_tokens[2 * row] == pair[0]
        && listed_tokens[2 * row + 1] == pair[1]) {
        return false;
    }
    return (a == pair[0] && b == pair[1])
        || counts[a * V + b] > listed[3 * row + 2];
}

__device__ void write_row(unsigned* listed,
                          unsigned* listed_tokens,
                          unsigned row, unsigned a, unsigned b,
                          unsigned count) {
    listed[3 * row] = 2 * row;
    listed[3 * row + 1] = 2;
    listed[3 * row + 2] = count;
    listed_tokens[2 * row] = a;
    listed_tokens[2 * row + 1] = b;
}

// The row of a pair; `rows` if it is not in the list.
__device__ unsigned row_of(const unsigned* listed_tokens,
                           unsigned a, unsigned b,
                           unsigned rows) {
    unsigned row = 0;
    while (row < rows && (listed_tokens[2 * row] != a
                          || listed_tokens[2 * row + 1] != b)) {
        row++;
    }
    return row;
}

extern "C" __global__ void __launch_bounds__(1)
list_pairs(const unsigned* __restrict__ ids,
           const unsigned* __restrict__ offset,
           const unsigned* __restrict__ wall,
           const unsigned* __restrict__ length,
           const unsigned* __restrict__ counts,
           const unsigned* __restrict__ pair,
           unsigned* __restrict__ listed,
           unsigned* __restrict__ listed_tokens) {
    for (unsigned row = 0; row < ROOM; row++) {
        write_row(listed, listed_tokens, row, 0, 0, 0);
        listed[3 * row + 1] = 0;  // a row that is empty
    }
    unsigned rows = 0;
    for (unsigned i = 0; i + 1 < length[0]; i++) {
        unsigned a = ids[i];
        unsigned b = ids[i + 1];
        if (wall[offset[i + 1]] == 1 || rows == ROOM
            || row_of(listed_tokens, a, b, rows) < rows) {
            continue;
        }
        unsigned row = rows;
        while (row > 0
               && comes_before(counts, pair, listed,
                               listed_tokens, a, b, row - 1)) {
            row--;
            write_row(listed, listed_tokens, row + 1,
                      listed_tokens[2 * row],
                      listed_tokens[2 * row + 1],
                      listed[3 * row + 2]);
        }
        write_row(listed, listed_tokens, row, a, b,
                  counts[a * V + b]);
        rows++;
    }
}
