// Against `double_buffered`: workgroups go through C in groups of GROUP rows of tiles.
// Those that run at the same time then share rows of A as well as columns of B, and more of both is still in the cache.

override M: u32 = 1024;    // rows of A and C
override N: u32 = 1024;    // columns of B and C
override K: u32 = 1024;    // columns of A, rows of B

const BM: u32 = 128;       // a workgroup's tile of C has BM rows
const BN: u32 = 128;       // and BN columns
const BK: u32 = 16;        // columns of A's tile, rows of B's
const TM: u32 = 8;         // rows of C that a lane computes
const TN: u32 = 16;        // and columns
const GROUP: u32 = 8;      // rows of tiles that go together
const DOWN = BM / TM;      // lanes that stand below each other
const ACROSS = BN / TN;    // lanes that stand side by side
const LANES = DOWN * ACROSS;

const BLOCKS = BM * BK / 16;                           // what A's tile is moved in: blocks of 4 x 4
const BLOCKS_EACH = (BLOCKS + LANES - 1) / LANES;      // a lane moves so many at most
const VECTORS = BK * BN / 4;                           // and B's tile: vectors of 4
const VECTORS_EACH = (VECTORS + LANES - 1) / LANES;

@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

// Two of each: one is read while the other is filled.
var<workgroup> tile_a: array<array<array<vec4<f32>, BM / 4>, BK>, 2>;    // turned: its rows run along A's columns
var<workgroup> tile_b: array<array<array<vec4<f32>, BN / 4>, BK>, 2>;

// This lane's part of the next tiles, on its way from global to workgroup memory.
var<private> next_a: array<mat4x4<f32>, BLOCKS_EACH>;
var<private> next_b: array<vec4<f32>, VECTORS_EACH>;

// Four elements of a row of A. Beyond the edges stand zeros: they add nothing to a sum. Where the tiles divide the matrix there
// are no edges, and no lane asks.
fn load_a(row: u32, k: u32) -> vec4<f32> {
    let at = row * K + k;
    var four = vec4<f32>();
    if (K % 4 == 0) {
        if ((M % BM == 0 && K % BK == 0) || (row < M && k < K)) { four = a[at / 4]; }
    } else {    // rows begin anywhere in a vector: one element after the other
        for (var i = 0u; i < 4; i++) {
            if (row < M && k + i < K) { four[i] = a[(at + i) / 4][(at + i) % 4]; }
        }
    }
    return four;
}

fn load_b(k: u32, column: u32) -> vec4<f32> {
    let at = k * N + column;
    var four = vec4<f32>();
    if (N % 4 == 0) {
        if ((N % BN == 0 && K % BK == 0) || (k < K && column < N)) { four = b[at / 4]; }
    } else {
        for (var i = 0u; i < 4; i++) {
            if (k < K && column + i < N) { four[i] = b[(at + i) / 4][(at + i) % 4]; }
        }
    }
    return four;
}

// All products of four elements of a column of A with four of a row of B.
fn outer(of_a: vec4<f32>, of_b: vec4<f32>) -> mat4x4<f32> {
    return mat4x4(of_a.x * of_b, of_a.y * of_b, of_a.z * of_b, of_a.w * of_b);
}

// Where in column `k` of A the tile keeps the four rows from `row` on. Eight lanes store at once, from BK / 4 different columns
// and 32 / BK different rows: exclusive or with a number of the column's own leads each of them to other banks.
fn slot(k: u32, row: u32) -> u32 {
    return (row / 4) ^ (k / 4 * (32 / BK));
}

// Loads this lane's part of the tiles whose corners are at row0, column0 and k0.
fn fetch(row0: u32, column0: u32, k0: u32, lane: u32) {
    for (var i = 0u; i < BLOCKS_EACH; i++) {
        let e = i * LANES + lane;
        let row = row0 + e / (BK / 4) * 4;
        let k = k0 + e % (BK / 4) * 4;
        if (BLOCKS % LANES == 0 || e < BLOCKS) {
            next_a[i] = mat4x4(load_a(row, k), load_a(row + 1, k), load_a(row + 2, k), load_a(row + 3, k));
        }
    }
    for (var i = 0u; i < VECTORS_EACH; i++) {
        let e = i * LANES + lane;
        if (VECTORS % LANES == 0 || e < VECTORS) {
            next_b[i] = load_b(k0 + e / (BN / 4), column0 + e % (BN / 4) * 4);
        }
    }
}

// Stores it to the tiles. Four rows of A, turned, are four rows of the tile.
fn put(pair: u32, lane: u32) {
    for (var i = 0u; i < BLOCKS_EACH; i++) {
        let e = i * LANES + lane;
        let row = e / (BK / 4) * 4;
        let k = e % (BK / 4) * 4;
        if (BLOCKS % LANES == 0 || e < BLOCKS) {
            let block = transpose(next_a[i]);
            tile_a[pair][k][slot(k, row)] = block[0];
            tile_a[pair][k + 1][slot(k, row)] = block[1];
            tile_a[pair][k + 2][slot(k, row)] = block[2];
            tile_a[pair][k + 3][slot(k, row)] = block[3];
        }
    }
    for (var i = 0u; i < VECTORS_EACH; i++) {
        let e = i * LANES + lane;
        if (VECTORS % LANES == 0 || e < VECTORS) {
            tile_b[pair][e / (BN / 4)][e % (BN / 4)] = next_b[i];
        }
    }
}

// The tile of C, by its column and row, that workgroup `id` takes: down GROUP rows of tiles first, then on to the next column.
fn place(id: u32) -> vec2<u32> {
    let across = (N + BN - 1) / BN;
    let down = (M + BM - 1) / BM;
    let first = id / (GROUP * across) * GROUP;    // the group's first row of tiles
    let rows = min(GROUP, down - first);          // the last group may have fewer
    let rest = id % (GROUP * across);
    return vec2(rest / rows, first + rest % rows);
}

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32,
        @builtin(num_workgroups) groups: vec3<u32>) {
    let tile = place(group.y * groups.x + group.x);
    let row0 = tile.y * BM;
    let column0 = tile.x * BN;
    let x = lane % ACROSS;
    let y = lane / ACROSS;
    var sums: array<array<mat4x4<f32>, TN / 4>, TM / 4>;    // each of 4 x 4 elements of C
    fetch(row0, column0, 0, lane);
    put(0, lane);
    workgroupBarrier();
    var pair = 0u;
    for (var k0 = 0u; k0 < K; k0 += BK) {
        if (k0 + BK < K) { fetch(row0, column0, k0 + BK, lane); }    // long on its way, and nobody waits for it yet
        for (var k = 0u; k < BK; k++) {
            var of_a: array<vec4<f32>, TM / 4>;
            var of_b: array<vec4<f32>, TN / 4>;
            for (var i = 0u; i < TM / 4; i++) { of_a[i] = tile_a[pair][k][slot(k, (i * DOWN + y) * 4)]; }
            for (var j = 0u; j < TN / 4; j++) { of_b[j] = tile_b[pair][k][j * ACROSS + x]; }
            for (var i = 0u; i < TM / 4; i++) {
                for (var j = 0u; j < TN / 4; j++) {
                    sums[i][j] += outer(of_a[i], of_b[j]);
                }
            }
        }
        pair = 1 - pair;
        put(pair, lane);    // after the last tile, what nobody reads
        workgroupBarrier();
    }
    for (var i = 0u; i < TM; i++) {
        for (var j = 0u; j < TN; j++) {
            let row = row0 + (i / 4 * DOWN + y) * 4 + i % 4;
            let column = column0 + (j / 4 * ACROSS + x) * 4 + j % 4;
            if (row < M && column < N) {
                c[row * N + column] = sums[i / 4][j / 4][i % 4][j % 4];
            }
        }
    }
}
