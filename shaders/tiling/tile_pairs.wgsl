// Two pairs of tiles: one is read while the other is filled.
// #include "swizzle.wgsl"

// A's tiles are transposed: their rows run along A's columns.
alias TileA = array<array<vec4<f32>, BM / 4>, BK>;
alias TileB = array<array<vec4<f32>, BN / 4>, BK>;
var<workgroup> tile_a: array<TileA, 2>;
var<workgroup> tile_b: array<TileB, 2>;

// Stores what was fetched to a pair of tiles. Four rows of A,
// transposed, are four rows of the tile.
fn store_tiles(pair: u32, lane: u32) {
    for (var i = 0u; i < BLOCKS_EACH; i++) {
        let e = i * LANES + lane;
        let row = e / (BK / 4) * 4;
        let k = e % (BK / 4) * 4;
        if (BLOCKS % LANES == 0 || e < BLOCKS) {
            let columns = transpose(next_a[i]);
            tile_a[pair][k][slot(k, row)] = columns[0];
            tile_a[pair][k + 1][slot(k, row)] = columns[1];
            tile_a[pair][k + 2][slot(k, row)] = columns[2];
            tile_a[pair][k + 3][slot(k, row)] = columns[3];
        }
    }
    for (var i = 0u; i < VECTORS_EACH; i++) {
        let e = i * LANES + lane;
        if (VECTORS % LANES == 0 || e < VECTORS) {
            let k = e / (BN / 4);
            tile_b[pair][k][e % (BN / 4)] = next_b[i];
        }
    }
}
