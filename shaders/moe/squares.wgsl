// The z-loss of each token: the square of the logarithm of its
// sum of exponentials. It keeps logits small. A lane has one
// token.
// #include "usable.wgsl"

override T: u32 = 1024;  // tokens
override E: u32 = 8;     // experts

@group(0) @binding(0)
var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read_write> lse: array<f32>;
@group(0) @binding(2)
var<storage, read_write> squares: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let token = gid.x;
    if (token >= T) {
        return;
    }
    let row = token * E;
    var greatest = usable_logit(row, 0u);
    for (var e = 1u; e < E; e++) {
        greatest = max(greatest, usable_logit(row, e));
    }
    var sum = 0.0;
    for (var e = 0u; e < E; e++) {
        sum += exp(usable_logit(row, e) - greatest);
    }
    lse[token] = greatest + log(sum);
    squares[token] = lse[token] * lse[token];
}
