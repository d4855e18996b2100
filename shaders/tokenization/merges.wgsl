// The merges of a vocabulary as a table. Each place has two
// tokens, the rank of their merge and what they make; a free
// place has NOTHING in all four.

override MERGE_PLACES: u32 = 256;  // a power of two

// The place of two tokens, or the free place that ends the
// search.
fn merge_place(left: u32, right: u32) -> u32 {
    var place = (left * 2654435769u) ^ (right * 2246822519u);
    place = (place ^ (place >> 15u)) & (MERGE_PLACES - 1u);
    while (merges[4u * place] != NOTHING
        && (merges[4u * place] != left
            || merges[4u * place + 1u] != right)) {
        place = (place + 1u) & (MERGE_PLACES - 1u);
    }
    return 4u * place;
}

// The rank of two tokens' merge; NOTHING if there is none.
fn merge_rank(left: u32, right: u32) -> u32 {
    return merges[merge_place(left, right) + 2u];
}

// What they make.
fn merged(left: u32, right: u32) -> u32 {
    return merges[merge_place(left, right) + 3u];
}
