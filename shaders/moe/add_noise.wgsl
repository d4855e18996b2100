// Noise on the logits, so that a token does not always go to
// the same experts. How much is learnt, for each token and
// expert: `amount` is a product of the token's row, as a logit
// is, and softplus makes it positive. A lane has one logit.

override N: u32 = 8192;         // logits: tokens times experts
override STRENGTH: f32 = 1.0;   // 0 for no noise at all

@group(0) @binding(0)
var<storage, read> amount: array<f32>;
// Numbers with mean 0 and deviation 1.
@group(0) @binding(1) var<storage, read> noise: array<f32>;
@group(0) @binding(2)
var<storage, read_write> logits: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * groups.x * 256u;
    if (i >= N) {
        return;
    }
    let a = amount[i];
    // ln(1 + exp(a)), without an exponential that overflows.
    let softplus = max(a, 0.0) + log(1.0 + exp(-abs(a)));
    logits[i] += STRENGTH * noise[i] * softplus;
}
