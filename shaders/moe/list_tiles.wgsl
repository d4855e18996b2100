// Lists the tiles of BM rows that the experts need: for each,
// its expert and its first row. `groups` becomes the grid.
// A lane has an expert, and first adds up the tiles of all
// experts before it.

override E: u32 = 8;        // experts
override COLUMNS: u32 = 2;  // tiles of 64 columns
override STRIDE: u32 = 1;   // numbers in starts per expert
override BM: u32 = 64;        // rows of a tile

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1)
var<storage, read_write> tiles: array<u32>;
@group(0) @binding(2)
var<storage, read_write> groups: array<u32>;

fn tiles_of(expert: u32) -> u32 {
    let start = starts[expert * STRIDE];
    let end = starts[(expert + 1u) * STRIDE];
    return (end - start + BM - 1u) / BM;
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var e = lane; e < E; e += 256u) {
        var tile = 0u;
        for (var other = 0u; other < e; other++) {
            tile += tiles_of(other);
        }
        let own = tiles_of(e);
        for (var i = 0u; i < own; i++) {
            tiles[2u * (tile + i)] = e;
            tiles[2u * (tile + i) + 1u] =
                starts[e * STRIDE] + i * BM;
        }
        if (e == E - 1u) {
            groups[0] = COLUMNS;
            groups[1] = tile + own;
            groups[2] = 1u;
        }
    }
}
