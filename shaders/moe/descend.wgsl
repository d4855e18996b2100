// A step down the gradient, for the router's matrix and for its
// shifts. A lane has one element of w, or one shift: the last
// row, whose factor is 1 instead of an element of x.

override T: u32 = 1024;  // tokens
override D: u32 = 64;    // columns of x, rows of w
override E: u32 = 8;     // experts
override RATE: f32 = 1.0;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1)
var<storage, read> gradient: array<f32>;
@group(0) @binding(2) var<storage, read_write> w: array<f32>;
@group(0) @binding(3)
var<storage, read_write> shift: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= (D + 1u) * E) {
        return;
    }
    let row = i / E;
    let expert = i % E;
    var sum = 0.0;
    for (var token = 0u; token < T; token++) {
        var factor = 1.0;
        if (row < D) {
            factor = x[token * D + row];
        }
        sum += factor * gradient[token * E + expert];
    }
    if (row < D) {
        w[i] -= RATE * sum;
    } else {
        shift[expert] -= RATE * sum;
    }
}
