// The loop goes to the next expert: `groups` becomes the grid
// that this expert's rows need.

override COLUMNS: u32 = 2;  // tiles of 64 columns
const BM: u32 = 64;         // rows of a tile

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1)
var<storage, read_write> turn: array<u32>;
@group(0) @binding(2)
var<storage, read_write> groups: array<u32>;

@compute @workgroup_size(1)
fn main() {
    // The first turn is that of expert 0: `turn` starts at -1.
    let expert = turn[0] + 1u;
    let count = starts[expert + 1u] - starts[expert];
    turn[0] = expert;
    groups[0] = COLUMNS;
    groups[1] = (count + BM - 1u) / BM;
    groups[2] = 1u;
}
