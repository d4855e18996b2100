// Against `row`: neighbouring lanes take neighbouring columns.
// A warp now loads and stores along rows of B and C, and its
// lanes want the same element of A.

override M: u32 = 1024;  // rows of A and C
override N: u32 = 1024;  // columns of B and C
override K: u32 = 1024;  // columns of A, rows of B

const BLOCK = 16u;       // a workgroup is 16 x 16 lanes

// Row by row, as b and c.
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(BLOCK, BLOCK)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    let column = id.x;
    if (row < M && column < N) {
        var sum = 0.0;
        for (var k = 0u; k < K; k++) {
            sum += a[row * K + k] * b[k * N + column];
        }
        c[row * N + column] = sum;
    }
}
