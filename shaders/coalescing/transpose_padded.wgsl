// Transpose through a padded tile: each row of the tile is PAD elements longer.
// They are never used. They move each row PAD banks on from the row before.

override ROWS: u32 = 1024;    // rows of src, columns of dst; a multiple of 32
override COLS: u32 = 1024;    // columns of src, rows of dst; a multiple of 32

const TILE = 32u;
const WARPS = 8u;
const PAD: u32 = 1;           // elements at the end of each row of the tile that nobody uses

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

var<workgroup> cells: array<array<f32, TILE + PAD>, TILE>;    // with PAD 1, 32 rows of 33

@compute @workgroup_size(TILE, WARPS)
fn main(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;    // 32 lanes along x are one warp
    for (var row = local.y; row < TILE; row += WARPS) {
        let x = tile.x * TILE + lane;
        let y = tile.y * TILE + row;
        let value = src[y * COLS + x];    // a row of src
        cells[row][lane] = value;         // a row of the tile
    }
    // What a warp reads next, other warps have written.
    workgroupBarrier();
    for (var row = local.y; row < TILE; row += WARPS) {
        let x = tile.y * TILE + lane;
        let y = tile.x * TILE + row;
        let value = cells[lane][row];     // a column of the tile
        dst[y * ROWS + x] = value;        // a row of dst
    }
}
