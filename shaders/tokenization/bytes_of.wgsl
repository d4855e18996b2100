// A token's bytes, from the merges that made it: from its pair
// down to the part that byte j is in, and on, to a byte.

fn byte_of(whole: u32, place: u32) -> u32 {
    var t = whole;
    var j = place;
    while (t >= 256u) {
        let left = merges[2u * (t - 256u)];
        if (j < sizes[left]) {
            t = left;
        } else {
            j -= sizes[left];
            t = merges[2u * (t - 256u) + 1u];
        }
    }
    return t;
}
