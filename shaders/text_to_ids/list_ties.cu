// A row for each merge: the pairs that were the most frequent
// ones, the merged one first, and how often they occurred. Each
// pair is written as one token, with an id of its own behind
// those of all merges. A single lane. `tie_parts` has the two
// parts of each token, the merges first.
// Constants: M, the merges; ROOM, the rows of the list of pairs;
// PLACES, the tokens in all rows.
constexpr unsigned NOTHING = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(1)
list_ties(const unsigned* __restrict__ listed,
          const unsigned* __restrict__ listed_tokens,
          const unsigned* __restrict__ turn,
          const unsigned* __restrict__ pair,
          unsigned* __restrict__ ties,
          unsigned* __restrict__ tie_tokens,
          unsigned* __restrict__ tie_parts) {
    if (pair[0] == NOTHING) {
        return;
    }
    unsigned row = turn[0] - 1;
    // Rows of merges to come hold this one until then.
    for (unsigned r = row; r < M; r++) {
        tie_parts[2 * r] = pair[0];
        tie_parts[2 * r + 1] = pair[1];
    }
    unsigned next = 0;
    if (row > 0) {
        next = ties[3 * row - 3] + ties[3 * row - 2];
    }
    ties[3 * row] = next;
    ties[3 * row + 2] = listed[2];
    unsigned tied = 0;
    while (tied < ROOM && next < PLACES) {
        if (listed[3 * tied + 1] == 0
            || listed[3 * tied + 2] != listed[2]) {
            break;
        }
        tie_tokens[next] = 256 + M + next;
        tie_parts[2 * (M + next)] = listed_tokens[2 * tied];
        tie_parts[2 * (M + next) + 1] =
            listed_tokens[2 * tied + 1];
        tied++;
        next++;
    }
    ties[3 * row + 1] = tied;
}
