// Each lane computes TM × TN elements of C = A · B, from tiles of A and B in shared memory.
override M: u32;
override N: u32;
override K: u32;
const BM: u32 = 64; // Rows of a tile of C. Not TM: u32 = 64.
const BN: u32 = 64;
const BK: u32 = 8;
const TM: u32 = 8;
const TN: u32 = 8;
const LANES: u32 = (BM / TM) * (BN / TN);

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<f32, BM * BK>;
var<workgroup> tile_b: array<f32, BK * BN>;

@compute @workgroup_size(BN / TN, BM / TM)
fn main(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_id) id: vec3u,
    @builtin(local_invocation_index) lane: u32,
) {
    var sums: array<f32, TM * TN>;
    for (var k = 0u; k < K; k += BK) {
        for (var i = lane; i < BM * BK; i += LANES) {
            let row = group.y * BM + i / BK;
            let column = k + i % BK;
            tile_a[i] = select(0.0, a[min(row, M - 1) * K + min(column, K - 1)], row < M && column < K);
        }
        for (var i = lane; i < BK * BN; i += LANES) {
            let row = k + i / BN;
            let column = group.x * BN + i % BN;
            tile_b[i] = select(0.0, b[min(row, K - 1) * N + min(column, N - 1)], row < K && column < N);
        }
        workgroupBarrier();
        for (var j = 0u; j < BK; j++) {
            for (var y = 0u; y < TM; y++) {
                for (var x = 0u; x < TN; x++) {
                    sums[y * TN + x] += tile_a[(id.y * TM + y) * BK + j] * tile_b[j * BN + id.x * TN + x];
                }
            }
        }
        workgroupBarrier();
    }
    for (var y = 0u; y < TM; y++) {
        for (var x = 0u; x < TN; x++) {
            let row = group.y * BM + id.y * TM + y;
            let column = group.x * BN + id.x * TN + x;
            if row < M && column < N {
                c[row * N + column] = sums[y * TN + x];
            }
        }
    }
}
