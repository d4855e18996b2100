// A row for each merge: the pairs that were the most frequent
// ones, the merged one first, and how often they occurred. Each
// pair is written as one token, with an id of its own behind
// those of all merges. A single lane.

override M: u32 = 12;      // merges
override ROOM: u32 = 16;   // rows of the list of pairs
override PLACES: u32 = 64; // tokens in all rows

@group(0) @binding(0) var<storage, read> listed: array<u32>;
@group(0) @binding(1)
var<storage, read> listed_tokens: array<u32>;
@group(0) @binding(2) var<storage, read> turn: array<u32>;
@group(0) @binding(3) var<storage, read> pair: array<u32>;
@group(0) @binding(4) var<storage, read_write> ties: array<u32>;
@group(0) @binding(5)
var<storage, read_write> tie_tokens: array<u32>;
// The two parts of each token, the merges first.
@group(0) @binding(6)
var<storage, read_write> tie_parts: array<u32>;
const NOTHING = 0xffffffffu;

@compute @workgroup_size(1)
fn main() {
    if (pair[0] == NOTHING) {
        return;
    }
    let row = turn[0] - 1u;
    // Rows of merges to come hold this one until then.
    for (var r = row; r < M; r++) {
        tie_parts[2u * r] = pair[0];
        tie_parts[2u * r + 1u] = pair[1];
    }
    var next = 0u;
    if (row > 0u) {
        next = ties[3u * row - 3u] + ties[3u * row - 2u];
    }
    ties[3u * row] = next;
    ties[3u * row + 2u] = listed[2];
    var tied = 0u;
    while (tied < ROOM && next < PLACES) {
        if (listed[3u * tied + 1u] == 0u
            || listed[3u * tied + 2u] != listed[2]) {
            break;
        }
        tie_tokens[next] = 256u + M + next;
        tie_parts[2u * (M + next)] = listed_tokens[2u * tied];
        tie_parts[2u * (M + next) + 1u] =
            listed_tokens[2u * tied + 1u];
        tied++;
        next++;
    }
    ties[3u * row + 1u] = tied;
}
