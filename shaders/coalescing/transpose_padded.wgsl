// Transpose through a padded tile: each row of the tile is PAD
// elements longer. They are never used. Each row begins PAD
// banks further on than the row before.

// Both are multiples of 32.
override ROWS: u32 = 1024;    // rows of src, columns of dst
override COLS: u32 = 1024;    // columns of src, rows of dst

const TILE = 32u;
const WARPS = 8u;
const PAD: u32 = 1;           // unused elements at a row's end

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

// With PAD 1, 32 rows of 33.
var<workgroup> cells: array<array<f32, TILE + PAD>, TILE>;

@compute @workgroup_size(TILE, WARPS)
fn main(
    @builtin(workgroup_id) tile: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    // On NVIDIA's GPUs, 32 lanes along x are one warp. WGSL
    // does not say which lanes form a subgroup.
    let lane = local.x;
    for (var row = local.y; row < TILE; row += WARPS) {
        let x = tile.x * TILE + lane;
        let y = tile.y * TILE + row;
        let value = src[y * COLS + x];  // a row of src
        cells[row][lane] = value;  // a row of the tile
    }
    // What a warp reads next, other warps have written.
    workgroupBarrier();
    for (var row = local.y; row < TILE; row += WARPS) {
        let x = tile.y * TILE + lane;
        let y = tile.x * TILE + row;
        let value = cells[lane][row];  // a column of the tile
        dst[y * ROWS + x] = value;  // a row of dst
    }
}
