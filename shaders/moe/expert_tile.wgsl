// A tile of 64 x 64 of one expert's product: rows of `rows`
// times the expert's matrix in `w`. 256 lanes compute 4 x 4
// elements each. Rows from `row_end` on are another expert's.

const BM: u32 = 64;  // rows of a tile
const BN: u32 = 64;  // columns of a tile
const BK: u32 = 16;  // columns of rows, rows of w, at a time

var<workgroup> tile_a: array<array<f32, BK>, BM>;
var<workgroup> tile_b: array<array<f32, BN>, BK>;

fn expert_tile(lane: u32, expert: u32, first_row: u32,
               row_end: u32, first_column: u32) {
    let x = lane % 16u;
    let y = lane / 16u;
    var sums: array<array<f32, 4>, 4>;
    for (var k0 = 0u; k0 < D; k0 += BK) {
        for (var i = 0u; i < 4u; i++) {
            let e = i * 256u + lane;
            let row = first_row + e / BK;
            let k = k0 + e % BK;
            var value = 0.0;
            if (row < row_end && k < D) {
                value = rows[row * D + k];
            }
            tile_a[e / BK][e % BK] = value;
        }
        for (var i = 0u; i < 4u; i++) {
            let e = i * 256u + lane;
            let k = k0 + e / BN;
            let column = first_column + e % BN;
            var value = 0.0;
            if (k < D && column < F) {
                value = w[(expert * D + k) * F + column];
            }
            tile_b[e / BN][e % BN] = value;
        }
        workgroupBarrier();
        for (var k = 0u; k < BK; k++) {
            var a_values: array<f32, 4>;
            var b_values: array<f32, 4>;
            for (var i = 0u; i < 4u; i++) {
                a_values[i] = tile_a[i * 16u + y][k];
                b_values[i] = tile_b[k][i * 16u + x];
            }
            for (var i = 0u; i < 4u; i++) {
                for (var j = 0u; j < 4u; j++) {
                    sums[i][j] += a_values[i] * b_values[j];
                }
            }
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            let row = first_row + i * 16u + y;
            let column = first_column + j * 16u + x;
            if (row < row_end && column < F) {
                result[row * F + column] = sums[i][j];
            }
        }
    }
}
