// Which of two pairs that occur equally often is merged.
// #include "bytes_of.wgsl"

// -1, 0, 1: the bytes of token a come before those of b, are
// the same, come behind. The beginning of another comes before.
fn compared(a: u32, b: u32) -> i32 {
    let both = min(sizes[a], sizes[b]);
    for (var i = 0u; i < both; i++) {
        let own = byte_of(a, i);
        let other = byte_of(b, i);
        if (own != other) {
            return select(1, -1, own < other);
        }
    }
    if (sizes[a] == sizes[b]) {
        return 0;
    }
    return select(1, -1, sizes[a] < sizes[b]);
}

// Whether pair p goes before pair q by the rule: 0: it has the
// smaller ids; 2: it has the greater bytes. By rule 1 the first
// in the text does, which `first_place` looks for.
fn goes_before(p: u32, q: u32) -> bool {
    if (RULE != 2u) {
        return p < q;
    }
    let left = compared(p >> 16u, q >> 16u);
    if (left != 0) {
        return left > 0;
    }
    return compared(p & 0xffffu, q & 0xffffu) > 0;
}

// Which of two wins, each a count and its pair.
fn winner(p: vec2<u32>, q: vec2<u32>) -> vec2<u32> {
    if (p.x > q.x) {
        return p;
    }
    if (p.x == q.x && (p.x == 0u || goes_before(p.y, q.y))) {
        return p;
    }
    return q;
}
