// The gradient of the auxiliary loss with respect to a token's
// logits. f is a count, and has no gradient; p is a mean of
// softmaxes:
// dL/dlogit = p * (E f - sum of E f * p over experts) / T.
// A lane has one token. `loads` is E times f.
// #include "usable.wgsl"

override T: u32 = 1024;  // tokens
override E: u32 = 8;     // experts

@group(0) @binding(0)
var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> lse: array<f32>;
@group(0) @binding(2) var<storage, read> loads: array<f32>;
@group(0) @binding(3)
var<storage, read_write> gradient: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let token = gid.x;
    if (token >= T) {
        return;
    }
    let row = token * E;
    var mean = 0.0;
    for (var e = 0u; e < E; e++) {
        let p = exp(usable_logit(row, e) - lse[token]);
        mean += loads[e] * p;
    }
    for (var e = 0u; e < E; e++) {
        let p = exp(usable_logit(row, e) - lse[token]);
        gradient[row + e] = p * (loads[e] - mean) / f32(T);
    }
}
