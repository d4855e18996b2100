// The reference: the same merges by a single lane, one after
// the other, as one would write it without a GPU.
// #include "bytes_of.wgsl"
// #include "words.wgsl"

override N: u32 = 4096;    // bytes
override TEXT: u32 = 4096; // those of the text
override V: u32 = 288;     // tokens that there can be
override M: u32 = 32;      // merges
override WALLS: u32 = 1;
override RULE: u32 = 0;

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> ids: array<u32>;
@group(0) @binding(2) var<storage, read_write> wall: array<u32>;
@group(0) @binding(3)
var<storage, read_write> counts: array<u32>;
@group(0) @binding(4)
var<storage, read_write> merges: array<u32>;
@group(0) @binding(5)
var<storage, read_write> sizes: array<u32>;

// Whether a's bytes are greater than b's; of equal ones, the
// newer token is.
fn greater(a: u32, b: u32) -> bool {
    for (var j = 0u; j < min(sizes[a], sizes[b]); j++) {
        if (byte_of(a, j) != byte_of(b, j)) {
            return byte_of(a, j) > byte_of(b, j);
        }
    }
    if (sizes[a] != sizes[b]) {
        return sizes[a] > sizes[b];
    }
    return a > b;
}

// Whether the pair (c, d) wins against (a, b), which was seen
// before it and is as frequent.
fn wins(c: u32, d: u32, a: u32, b: u32) -> bool {
    if (RULE == 0u) {
        return c < a || (c == a && d < b);
    }
    if (RULE == 2u && c != a) {
        return greater(c, a);
    }
    return RULE == 2u && d != b && greater(d, b);
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < N; i++) {
        ids[i] = byte_at(i);
        wall[i] = select(0u, 1u, word_begins(i));
    }
    var tokens = N;
    for (var turn = 0u; turn < M; turn++) {
        for (var cell = 0u; cell < V * V; cell++) {
            counts[cell] = 0u;
        }
        // `wall` moves with the tokens here.
        for (var i = 0u; i + 1u < tokens; i++) {
            if (wall[i + 1u] == 0u) {
                counts[ids[i] * V + ids[i + 1u]] += 1u;
            }
        }
        var most = 0u;
        var a = 0u;
        var b = 0u;
        for (var i = 0u; i + 1u < tokens; i++) {
            if (wall[i + 1u] == 1u) {
                continue;
            }
            let c = ids[i];
            let d = ids[i + 1u];
            let count = counts[c * V + d];
            if (count > most
                || (count == most && wins(c, d, a, b))) {
                most = count;
                a = c;
                b = d;
            }
        }
        if (most == 0u) {
            return;
        }
        merges[2u * turn] = a;
        merges[2u * turn + 1u] = b;
        sizes[256u + turn] = sizes[a] + sizes[b];
        var kept = 0u;
        var place = 0u;
        while (place < tokens) {
            var token = ids[place];
            let begins = wall[place];
            if (place + 1u < tokens && token == a
                && ids[place + 1u] == b
                && wall[place + 1u] == 0u) {
                token = 256u + turn;
                place++;
            }
            ids[kept] = token;
            wall[kept] = begins;
            kept++;
            place++;
        }
        tokens = kept;
    }
}
