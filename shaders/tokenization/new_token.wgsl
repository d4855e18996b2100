// The winner becomes a token: its two parts go to the list of
// merges, and it finds its place in the order of all tokens by
// their bytes. One workgroup; a lane has every 256th token.
// #include "bytes_of.wgsl"

override V: u32 = 288;  // tokens that there can be
// What the winner's key is made of: see break_ties.
override RULE: u32 = 0;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> best: array<u32>;
// How many merges there have been.
@group(0) @binding(2)
var<storage, read_write> turn: array<u32>;
@group(0) @binding(3)
var<storage, read_write> merges: array<u32>;
// How often each winner occurred.
@group(0) @binding(4) var<storage, read_write> won: array<u32>;
@group(0) @binding(5)
var<storage, read_write> order: array<u32>;
@group(0) @binding(6)
var<storage, read_write> sizes: array<u32>;
// The pair that is merged in this round.
@group(0) @binding(7) var<storage, read_write> pair: array<u32>;

const NOTHING = 0xffffffffu;

var<workgroup> parts: array<u32, 2>;
var<workgroup> smaller: atomic<u32>;

// Whether token t's bytes come before those of a and b, one
// after the other. The shorter one comes first if it is the
// beginning of the other.
fn comes_before(t: u32, a: u32, b: u32) -> bool {
    let own = sizes[t];
    let other = sizes[a] + sizes[b];
    for (var j = 0u; j < min(own, other); j++) {
        let mine = byte_of(t, j);
        var theirs = 0u;
        if (j < sizes[a]) {
            theirs = byte_of(a, j);
        } else {
            theirs = byte_of(b, j - sizes[a]);
        }
        if (mine != theirs) {
            return mine < theirs;
        }
    }
    return own <= other;
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    if (best[0] == 0u) {
        // There is no pair left to merge.
        if (lane < 2u) {
            pair[lane] = NOTHING;
        }
        return;
    }
    let done = turn[0];
    let token = 256u + done;
    let key = best[1];
    if (RULE == 2u) {
        for (var t = lane; t < token; t += 256u) {
            if (order[t] == key / V) {
                parts[0] = t;
            }
            if (order[t] == key % V) {
                parts[1] = t;
            }
        }
    } else if (lane == 0u && RULE == 1u) {
        parts[0] = ids[~key];
        parts[1] = ids[~key + 1u];
    } else if (lane == 0u) {
        parts[0] = ~key / V;
        parts[1] = ~key % V;
    }
    workgroupBarrier();
    let a = parts[0];
    let b = parts[1];
    // Tokens that come after the new one move up by one.
    for (var t = lane; t < token; t += 256u) {
        if (comes_before(t, a, b)) {
            atomicAdd(&smaller, 1u);
        } else {
            order[t] += 1u;
        }
    }
    workgroupBarrier();
    // The lists are read by all lanes up to here.
    storageBarrier();
    if (lane == 0u) {
        order[token] = atomicLoad(&smaller);
        sizes[token] = sizes[a] + sizes[b];
        merges[2u * done] = a;
        merges[2u * done + 1u] = b;
        won[done] = best[0];
        pair[0] = a;
        pair[1] = b;
        turn[0] = done + 1u;
    }
}
