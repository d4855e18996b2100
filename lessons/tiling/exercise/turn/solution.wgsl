// Lanes load along the columns of B, which are rows of `b`, and the tile
// keeps them as rows. The products read down the tile's columns: with rows
// of TILE + 1 words, 32 of them begin in 32 banks.

override M: u32 = 1024;  // rows of A and C
override N: u32 = 1024;  // columns of B and C
override K: u32 = 1024;  // columns of A, rows of B

// Elements of a tile, and lanes of a workgroup, each way.
const TILE: u32 = 32;

@group(0) @binding(0) var<storage, read> a: array<f32>;
// N rows of K elements: the columns of B.
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
// B's tile, transposed: a row is a part of a column of B.
var<workgroup> tile_b: array<array<f32, TILE + 1>, TILE>;

// Elements of A and B. Beyond the edges there are zeros, which
// add nothing to a sum.
fn load_a(row: u32, k: u32) -> f32 {
    if (row < M && k < K) { return a[row * K + k]; }
    return 0.0;
}

fn load_b(k: u32, column: u32) -> f32 {
    if (k < K && column < N) { return b[column * K + k]; }
    return 0.0;
}

@compute @workgroup_size(TILE, TILE)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let row = group.y * TILE + lane.y;
    let column = group.x * TILE + lane.x;
    let left = group.x * TILE;
    var sum = 0.0;
    for (var k0 = 0u; k0 < K; k0 += TILE) {
        tile_a[lane.y][lane.x] = load_a(row, k0 + lane.x);
        tile_b[lane.y][lane.x] = load_b(k0 + lane.x, left + lane.y);
        workgroupBarrier();  // the tiles are complete
        for (var k = 0u; k < TILE; k++) {
            sum += tile_a[lane.y][k] * tile_b[lane.x][k];
        }
        workgroupBarrier();  // nobody reads them any more
    }
    if (row < M && column < N) {
        c[row * N + column] = sum;
    }
}
