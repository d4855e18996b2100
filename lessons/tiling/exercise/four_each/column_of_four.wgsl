// Wrong: four elements below each other need five reads for four products.

override M: u32 = 1024;      // rows of A and C
override N: u32 = 1024;      // columns of B and C
override K: u32 = 1024;      // columns of A, rows of B

const TILE: u32 = 32;        // a tile is TILE x TILE elements

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_b: array<array<f32, TILE>, TILE>;

// Beyond the edges stand zeros: they add nothing to a sum.
fn load_a(row: u32, k: u32) -> f32 {
    if (row < M && k < K) { return a[row * K + k]; }
    return 0.0;
}

fn load_b(k: u32, column: u32) -> f32 {
    if (k < K && column < N) { return b[k * N + column]; }
    return 0.0;
}
const HALF: u32 = TILE / 2;    // a workgroup is HALF x HALF lanes

fn store(row: u32, column: u32, sum: f32) {
    if (row < M && column < N) { c[row * N + column] = sum; }
}

@compute @workgroup_size(HALF, HALF)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let top = group.y * TILE;
    let left = group.x * TILE;
    let x = lane.x;
    let y = lane.y;
    var sum00 = 0.0; var sum01 = 0.0;
    var sum10 = 0.0; var sum11 = 0.0;
    for (var k0 = 0u; k0 < K; k0 += TILE) {
        // 32 lanes take a row of each tile, 8 rows at once.
        for (var i = index / TILE; i < TILE; i += 8) {
            let j = index % TILE;
            tile_a[i][j] = load_a(top + i, k0 + j);
            tile_b[i][j] = load_b(k0 + i, left + j);
        }
        workgroupBarrier();    // the tiles are complete
        for (var k = 0u; k < TILE; k++) {
            let b0 = tile_b[k][index % TILE];
            let i = index / TILE;
            sum00 += tile_a[i][k] * b0;
            sum01 += tile_a[i + 8][k] * b0;
            sum10 += tile_a[i + 16][k] * b0;
            sum11 += tile_a[i + 24][k] * b0;
        }
        workgroupBarrier();    // nobody reads them any more
    }
    let i = top + index / TILE;
    let j = left + index % TILE;
    store(i, j, sum00);
    store(i + 8, j, sum01);
    store(i + 16, j, sum10);
    store(i + 24, j, sum11);
}
