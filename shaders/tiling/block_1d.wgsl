// Against `shared_tile`: each lane computes TM elements of a
// column of C instead of one.
// What it reads of B serves TM products, and a workgroup of as
// many lanes covers a larger tile of C.
// #include "load.wgsl"

override M: u32 = 1024;  // rows of A and C
override N: u32 = 1024;  // columns of B and C
override K: u32 = 1024;  // columns of A, rows of B

const BM: u32 = 32;       // a workgroup's tile of C has BM rows
const BN: u32 = 64;       // and BN columns
const BK: u32 = 16;      // columns of A's tile, rows of B's
const TM: u32 = 8;       // rows of C that a lane computes
const LANES = BM / TM * BN;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<array<f32, BK>, BM>;
var<workgroup> tile_b: array<array<f32, BN>, BK>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row0 = group.y * BM;
    let column0 = group.x * BN;
    let x = lane % BN;       // this lane's column of the tile
    let y = lane / BN * TM;  // and the first of its rows
    var sums: array<f32, TM>;
    for (var k0 = 0u; k0 < K; k0 += BK) {
        for (var i = 0u; i < BM * BK / LANES; i++) {
            let e = i * LANES + lane;
            let row = e / BK;
            let k = e % BK;
            tile_a[row][k] = load_a(row0 + row, k0 + k);
        }
        for (var i = 0u; i < BK * BN / LANES; i++) {
            let e = i * LANES + lane;
            let k = e / BN;
            let column = e % BN;
            let b_value = load_b(k0 + k, column0 + column);
            tile_b[k][column] = b_value;
        }
        workgroupBarrier();
        for (var k = 0u; k < BK; k++) {
            let b_value = tile_b[k][x];
            for (var i = 0u; i < TM; i++) {
                sums[i] += tile_a[y + i][k] * b_value;
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < TM; i++) {
        let row = row0 + y + i;
        let column = column0 + x;
        if (row < M && column < N) {
            c[row * N + column] = sums[i];
        }
    }
}
