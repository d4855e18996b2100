// The pairs of a text, each once, with the number of its
// places: first the one that is merged in this round, then the
// others, the most frequent ones first. Of equal ones, the one
// that the text has first comes first. A single lane.

override V: u32 = 268;  // tokens that there can be
override ROOM: u32 = 16;  // rows of the list

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4) var<storage, read> counts: array<u32>;
@group(0) @binding(5) var<storage, read> pair: array<u32>;
// Of each row: where its tokens begin, how many they are, and
// how often they are neighbours.
@group(0) @binding(6)
var<storage, read_write> listed: array<u32>;
@group(0) @binding(7)
var<storage, read_write> listed_tokens: array<u32>;

// Whether such a pair comes before that of a row.
fn comes_before(a: u32, b: u32, row: u32) -> bool {
    if (listed_tokens[2u * row] == pair[0]
        && listed_tokens[2u * row + 1u] == pair[1]) {
        return false;
    }
    return (a == pair[0] && b == pair[1])
        || counts[a * V + b] > listed[3u * row + 2u];
}

fn write_row(row: u32, a: u32, b: u32, count: u32) {
    listed[3u * row] = 2u * row;
    listed[3u * row + 1u] = 2u;
    listed[3u * row + 2u] = count;
    listed_tokens[2u * row] = a;
    listed_tokens[2u * row + 1u] = b;
}

// The row of a pair; `rows` if it is not in the list.
fn row_of(a: u32, b: u32, rows: u32) -> u32 {
    var row = 0u;
    while (row < rows && (listed_tokens[2u * row] != a
        || listed_tokens[2u * row + 1u] != b)) {
        row++;
    }
    return row;
}

@compute @workgroup_size(1)
fn main() {
    for (var row = 0u; row < ROOM; row++) {
        write_row(row, 0u, 0u, 0u);
        listed[3u * row + 1u] = 0u;  // a row that is empty
    }
    var rows = 0u;
    for (var i = 0u; i + 1u < length[0]; i++) {
        let a = ids[i];
        let b = ids[i + 1u];
        if (wall[offset[i + 1u]] == 1u || rows == ROOM
            || row_of(a, b, rows) < rows) {
            continue;
        }
        var row = rows;
        while (row > 0u && comes_before(a, b, row - 1u)) {
            row--;
            write_row(row + 1u, listed_tokens[2u * row],
                listed_tokens[2u * row + 1u],
                listed[3u * row + 2u]);
        }
        write_row(row, a, b, counts[a * V + b]);
        rows++;
    }
}
