// The tiled product that `nn`, `nt` and `tn` share. A workgroup
// of 16 x 16 lanes has a tile of C with SIDE rows and columns,
// and a lane PER x PER of its elements, 16 apart. It takes 16
// columns of A and rows of B at a time: `fill` copies them.

const SIDE = 16 * PER;

// By k, then by row of A or column of B. Two more elements keep
// lanes that write along k out of each other's banks.
var<workgroup> tile_a: array<array<f32, SIDE + 2>, 16>;
var<workgroup> tile_b: array<array<f32, SIDE + 2>, 16>;

// Where an operand begins: some buffers have all layers.
fn begin(at: u32, each: u32, held: u32) -> u32 {
    return at + layer[0] % held * each;
}

fn multiply(group: vec3<u32>, lane: u32) {
    let x = lane % 16;
    let y = lane / 16;
    let row0 = group.y * SIDE;
    let column0 = group.x * SIDE;
    var sums: array<array<f32, PER>, PER>;
    for (var k0 = 0u; k0 < K; k0 += 16) {
        fill(row0, column0, k0, lane);
        workgroupBarrier();  // the tiles are complete
        for (var k = 0u; k < min(16, K - k0); k++) {
            for (var i = 0u; i < PER; i++) {
                let a_value = tile_a[k][y + 16 * i];
                for (var j = 0u; j < PER; j++) {
                    sums[i][j] += a_value * tile_b[k][x + 16 * j];
                }
            }
        }
        workgroupBarrier();  // nobody reads them any more
    }
    let c_at = begin(C_AT, C_EACH, C_HELD);
    for (var i = 0u; i < PER; i++) {
        for (var j = 0u; j < PER; j++) {
            let row = row0 + y + 16 * i;
            let column = column0 + x + 16 * j;
            if (row < M && column < N) {
                c[c_at + row * N + column] = sums[i][j];
            }
        }
    }
}
