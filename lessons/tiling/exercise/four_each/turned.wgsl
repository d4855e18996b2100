// Wrong: A's tile is loaded down its columns.

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
        for (var i = index / TILE; i < TILE; i += 8) {
            let j = index % TILE;
            tile_a[j][i] = load_a(top + j, k0 + i);
            tile_b[i][j] = load_b(k0 + i, left + j);
        }
        workgroupBarrier();    // the tiles are complete
        for (var k = 0u; k < TILE; k++) {
            let a0 = tile_a[y][k];
            let a1 = tile_a[y + HALF][k];
            let b0 = tile_b[k][x];
            let b1 = tile_b[k][x + HALF];
            sum00 += a0 * b0;
            sum01 += a0 * b1;
            sum10 += a1 * b0;
            sum11 += a1 * b1;
        }
        workgroupBarrier();    // nobody reads them any more
    }
    store(top + y, left + x, sum00);
    store(top + y, left + x + HALF, sum01);
    store(top + y + HALF, left + x, sum10);
    store(top + y + HALF, left + x + HALF, sum11);
}
