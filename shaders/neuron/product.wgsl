// A product of matrices, with steps from number to number that
// its launch chooses: a matrix is read by rows or by columns,
// and so its transpose needs no copy. A lane has one number of
// the result, and says how many products it added.

override M: u32 = 16;       // rows of the result
override N: u32 = 16;       // its columns
override K: u32 = 16;       // products of each number
override A_ROW: u32 = 16;   // from row to row of a
override A_K: u32 = 1;      // from product to product
override B_K: u32 = 16;
override B_COLUMN: u32 = 1; // from column to column of b

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3)
var<storage, read_write> products: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= M * N) {
        return;
    }
    let row = i / N;
    let column = i % N;
    var sum = 0.0;
    var added = 0u;
    for (var k = 0u; k < K; k++) {
        sum += a[row * A_ROW + k * A_K]
            * b[k * B_K + column * B_COLUMN];
        added++;
    }
    c[i] = sum;
    products[i] = added;
}
