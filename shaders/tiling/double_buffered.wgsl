// Against `swizzled`: there are two pairs of tiles. While one
// is multiplied, the next one is on its way from global memory.
// One barrier for each tile is enough: what is stored is not
// what is read.
// #include "vectors.wgsl"
// #include "tile_pairs.wgsl"

override M: u32 = 1024;  // rows of A and C
override N: u32 = 1024;  // columns of B and C
override K: u32 = 1024;  // columns of A, rows of B

const BM: u32 = 128;      // a workgroup's tile of C has BM rows
const BN: u32 = 128;      // and BN columns
const BK: u32 = 16;      // columns of A's tile, rows of B's
const TM: u32 = 8;       // rows of C that a lane computes
const TN: u32 = 16;      // and columns
const DOWN = BM / TM;    // lanes below each other
const ACROSS = BN / TN;  // lanes side by side
const LANES = DOWN * ACROSS;

@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row0 = group.y * BM;
    let column0 = group.x * BN;
    let x = lane % ACROSS;
    let y = lane / ACROSS;
    // Each of 4 x 4 elements of C.
    var sums: array<array<mat4x4<f32>, TN / 4>, TM / 4>;
    fetch(row0, column0, 0, lane);
    store_tiles(0, lane);
    workgroupBarrier();
    var pair = 0u;
    for (var k0 = 0u; k0 < K; k0 += BK) {
        if (k0 + BK < K) {
            // Nobody waits for these yet.
            fetch(row0, column0, k0 + BK, lane);
        }
        for (var k = 0u; k < BK; k++) {
            var a_values: array<vec4<f32>, TM / 4>;
            var b_values: array<vec4<f32>, TN / 4>;
            for (var i = 0u; i < TM / 4; i++) {
                let row = (i * DOWN + y) * 4;
                a_values[i] = tile_a[pair][k][slot(k, row)];
            }
            for (var j = 0u; j < TN / 4; j++) {
                b_values[j] = tile_b[pair][k][j * ACROSS + x];
            }
            for (var i = 0u; i < TM / 4; i++) {
                for (var j = 0u; j < TN / 4; j++) {
                    let b_row = b_values[j];
                    sums[i][j] += outer(a_values[i], b_row);
                }
            }
        }
        pair = 1 - pair;
        // After the last tiles, this stores what nobody reads.
        store_tiles(pair, lane);
        workgroupBarrier();
    }
    for (var i = 0u; i < TM; i++) {
        for (var j = 0u; j < TN; j++) {
            let tile_row = (i / 4 * DOWN + y) * 4 + i % 4;
            let tile_column = (j / 4 * ACROSS + x) * 4 + j % 4;
            let row = row0 + tile_row;
            let column = column0 + tile_column;
            let sum = sums[i / 4][j / 4][i % 4][j % 4];
            if (row < M && column < N) {
                c[row * N + column] = sum;
            }
        }
    }
}
