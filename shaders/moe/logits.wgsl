// The router: a token's logit for each expert is the product of
// the token's row of x and the expert's column of w.
// A lane computes one logit. `shift` is a number per expert
// that is learnt as w is. TILT subtracts a multiple of
// ln(expert + 1), so that the first experts are chosen more
// often: a router that has lost its balance.

override T: u32 = 1024;    // tokens, rows of x
override D: u32 = 64;      // columns of x, rows of w
override E: u32 = 8;       // experts, columns of w
override TILT: f32 = 0.0;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<f32>;
@group(0) @binding(2) var<storage, read> shift: array<f32>;
@group(0) @binding(3)
var<storage, read_write> logits: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * groups.x * 256u;
    if (i >= T * E) {
        return;
    }
    let token = i / E;
    let expert = i % E;
    var sum = 0.0;
    for (var j = 0u; j < D; j++) {
        sum += x[token * D + j] * w[j * E + expert];
    }
    sum += shift[expert];
    logits[i] = sum - TILT * log(f32(expert + 1u));
}
