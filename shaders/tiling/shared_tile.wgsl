// Against `column`: a workgroup copies a tile of A and a tile
// of B to workgroup memory, and all its lanes read them there.
// Each element that is loaded serves TILE lanes, so TILE times
// less is asked of global memory.
// #include "load.wgsl"

override M: u32 = 1024;  // rows of A and C
override N: u32 = 1024;  // columns of B and C
override K: u32 = 1024;  // columns of A, rows of B

// Elements of a tile, and lanes of a workgroup, each way.
const TILE: u32 = 16;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_b: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let row = group.y * TILE + lane.y;
    let column = group.x * TILE + lane.x;
    var sum = 0.0;
    for (var k0 = 0u; k0 < K; k0 += TILE) {
        tile_a[lane.y][lane.x] = load_a(row, k0 + lane.x);
        tile_b[lane.y][lane.x] = load_b(k0 + lane.y, column);
        workgroupBarrier();  // the tiles are complete
        for (var k = 0u; k < TILE; k++) {
            sum += tile_a[lane.y][k] * tile_b[k][lane.x];
        }
        workgroupBarrier();  // nobody reads them any more
    }
    if (row < M && column < N) {
        c[row * N + column] = sum;
    }
}
