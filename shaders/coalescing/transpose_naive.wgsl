// Transpose, directly: a warp loads part of a row and stores it
// as part of a column.
// Each workgroup transposes one tile of 32 x 32 elements; each
// of its 8 warps takes 4 rows of the tile.

// Both are multiples of 32.
override ROWS: u32 = 1024;    // rows of src, columns of dst
override COLS: u32 = 1024;    // columns of src, rows of dst

const TILE = 32u;
const WARPS = 8u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

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
        // Neighbouring lanes: 1 element apart.
        let value = src[y * COLS + x];
        // Neighbouring lanes: ROWS elements apart.
        dst[x * ROWS + y] = value;
    }
}
