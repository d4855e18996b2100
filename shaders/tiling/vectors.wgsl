// A and B in vectors of four: what a lane fetches of the next
// tiles, and the products of two vectors.

// A's tile is moved in blocks of 4 x 4, B's in vectors of 4. A
// lane moves so many at most.
const BLOCKS = BM * BK / 16;
const BLOCKS_EACH = (BLOCKS + LANES - 1) / LANES;
const VECTORS = BK * BN / 4;
const VECTORS_EACH = (VECTORS + LANES - 1) / LANES;

// What this lane fetched of the next tiles, on its way from
// global to workgroup memory.
var<private> next_a: array<mat4x4<f32>, BLOCKS_EACH>;
var<private> next_b: array<vec4<f32>, VECTORS_EACH>;

// Four elements of a row of A. Beyond the edges there are
// zeros, which add nothing to a sum. Where the tiles divide the
// matrix there are no edges, and no lane compares.
fn load_a(row: u32, k: u32) -> vec4<f32> {
    let first = row * K + k;
    let has_edges = M % BM != 0 || K % BK != 0;
    var values = vec4<f32>();
    if (K % 4 == 0) {
        if (!has_edges || (row < M && k < K)) {
            values = a[first / 4];
        }
    } else {
        // Rows begin anywhere in a vector: one element after
        // the other.
        for (var i = 0u; i < 4; i++) {
            if (row < M && k + i < K) {
                values[i] = a[(first + i) / 4][(first + i) % 4];
            }
        }
    }
    return values;
}

// Four elements of a row of B.
fn load_b(k: u32, column: u32) -> vec4<f32> {
    let first = k * N + column;
    let has_edges = N % BN != 0 || K % BK != 0;
    var values = vec4<f32>();
    if (N % 4 == 0) {
        if (!has_edges || (k < K && column < N)) {
            values = b[first / 4];
        }
    } else {
        for (var i = 0u; i < 4; i++) {
            if (k < K && column + i < N) {
                values[i] = b[(first + i) / 4][(first + i) % 4];
            }
        }
    }
    return values;
}

// All products of four elements of a column of A with four of a
// row of B.
fn outer(a_column: vec4<f32>, b_row: vec4<f32>) -> mat4x4<f32> {
    return mat4x4(a_column.x * b_row, a_column.y * b_row,
                  a_column.z * b_row, a_column.w * b_row);
}

// Loads what this lane moves of the tiles whose corners are at
// row0, column0 and k0.
fn fetch(row0: u32, column0: u32, k0: u32, lane: u32) {
    for (var i = 0u; i < BLOCKS_EACH; i++) {
        let e = i * LANES + lane;
        let row = row0 + e / (BK / 4) * 4;
        let k = k0 + e % (BK / 4) * 4;
        if (BLOCKS % LANES == 0 || e < BLOCKS) {
            next_a[i] = mat4x4(
                load_a(row, k), load_a(row + 1, k),
                load_a(row + 2, k), load_a(row + 3, k));
        }
    }
    for (var i = 0u; i < VECTORS_EACH; i++) {
        let e = i * LANES + lane;
        let column = column0 + e % (BN / 4) * 4;
        if (VECTORS % LANES == 0 || e < VECTORS) {
            next_b[i] = load_b(k0 + e / (BN / 4), column);
        }
    }
}
