// Transpose through a padded tile. A lane moves 4 bytes at a time, so a tile takes 32 load requests and 32 store requests.
// Let a lane load four elements at once and store four at once. A workgroup still has one tile of 32 x 32.

// Both are multiples of 32.
override ROWS: u32 = 1024;    // rows of src, columns of dst
override COLS: u32 = 1024;    // columns of src, rows of dst

const TILE = 32u;
const ROW = TILE + 1;         // elements from a row of the tile to the next
const WARPS = 8u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

var<workgroup> cells: array<array<f32, ROW>, TILE>;

@compute @workgroup_size(TILE, WARPS)
fn main(
    @builtin(workgroup_id) tile: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let lane = local.x;
    for (var row = local.y; row < TILE; row += WARPS) {
        let x = tile.x * TILE + lane;
        let y = tile.y * TILE + row;
        cells[row][lane] = src[y * COLS + x];    // along rows
    }
    workgroupBarrier();
    for (var row = local.y; row < TILE; row += WARPS) {
        let x = tile.y * TILE + lane;
        let y = tile.x * TILE + row;
        dst[y * ROWS + x] = cells[lane][row];    // down a column
    }
}
