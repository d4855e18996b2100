// A word is merged by rank: of all pairs in it, the one of the
// lowest rank is merged, the leftmost of several, until no pair
// has a rank. A token stays where its first byte is, and its
// other bytes become NOTHING.

// Where the next token is, from i on; `end` if there is none.
fn next_token(i: u32, end: u32) -> u32 {
    var at = i;
    while (at < end && ids[at] == NOTHING) {
        at++;
    }
    return at;
}

// Merges the tokens from `start` to `end`, and says how many
// merges there were.
fn merge_word(start: u32, end: u32) -> u32 {
    var merges_done = 0u;
    loop {
        var lowest = NOTHING;
        var best = start;
        var left = start;
        var right = next_token(left + 1u, end);
        while (right < end) {
            let rank = merge_rank(ids[left], ids[right]);
            if (rank < lowest) {
                lowest = rank;
                best = left;
            }
            left = right;
            right = next_token(left + 1u, end);
        }
        if (lowest == NOTHING) {
            break;
        }
        right = next_token(best + 1u, end);
        ids[best] = merged(ids[best], ids[right]);
        ids[right] = NOTHING;
        merges_done++;
    }
    return merges_done;
}
