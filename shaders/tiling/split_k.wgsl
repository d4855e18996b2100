// Against `shared_tile`: SPLIT workgroups share a tile of C.
// Each adds up its own part of the depth, and stores the sums
// in a matrix of its own in `parts`. `add_parts` adds these up.
// #include "load.wgsl"

override M: u32 = 16;      // rows of A and C
override N: u32 = 1024;    // columns of B and C
override K: u32 = 4096;    // columns of A, rows of B
override SPLIT: u32 = 16;  // workgroups for each tile of C

// Elements of a tile, and lanes of a workgroup, each way.
const TILE: u32 = 16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
// SPLIT matrices, each as large as C.
@group(0) @binding(2)
var<storage, read_write> parts: array<f32>;

var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_b: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let row = group.y * TILE + lane.y;
    let column = group.x * TILE + lane.x;
    // Its part of the depth, in whole tiles. The parts differ
    // by one tile at most, and may be empty.
    let steps = (K + TILE - 1) / TILE;
    let first = group.z * steps / SPLIT * TILE;
    let end = (group.z + 1) * steps / SPLIT * TILE;
    var sum = 0.0;
    for (var k0 = first; k0 < end; k0 += TILE) {
        tile_a[lane.y][lane.x] = load_a(row, k0 + lane.x);
        tile_b[lane.y][lane.x] = load_b(k0 + lane.y, column);
        workgroupBarrier();  // the tiles are complete
        for (var k = 0u; k < TILE; k++) {
            sum += tile_a[lane.y][k] * tile_b[k][lane.x];
        }
        workgroupBarrier();  // nobody reads them any more
    }
    if (row < M && column < N) {
        parts[(group.z * M + row) * N + column] = sum;
    }
}
