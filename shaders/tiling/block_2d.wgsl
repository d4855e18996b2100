// Against `block_1d`: each lane computes TM x TN elements of C
// instead of TM x 1.
// TM numbers of A and TN of B, once in registers, make TM x TN
// products. Neighbouring lanes still take neighbouring columns:
// a lane's own columns are ACROSS apart, and its rows DOWN.
// #include "load.wgsl"

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
    let x = lane % ACROSS;
    let y = lane / ACROSS;
    var sums: array<array<f32, TN>, TM>;
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
            var a_values: array<f32, TM>;
            var b_values: array<f32, TN>;
            for (var i = 0u; i < TM; i++) {
                a_values[i] = tile_a[i * DOWN + y][k];
            }
            for (var j = 0u; j < TN; j++) {
                b_values[j] = tile_b[k][j * ACROSS + x];
            }
            for (var i = 0u; i < TM; i++) {
                for (var j = 0u; j < TN; j++) {
                    sums[i][j] += a_values[i] * b_values[j];
                }
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < TM; i++) {
        for (var j = 0u; j < TN; j++) {
            let row = row0 + i * DOWN + y;
            let column = column0 + j * ACROSS + x;
            if (row < M && column < N) {
                c[row * N + column] = sums[i][j];
            }
        }
    }
}
