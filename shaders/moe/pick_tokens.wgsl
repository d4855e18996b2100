// Against `choose`: the experts choose their tokens. Each takes
// the SLOTS tokens with the greatest logits for it.
// A workgroup has one expert. A lane counts how many tokens
// come before its own: those with a greater logit and, of
// equal ones, the lower.
// #include "usable.wgsl"

override T: u32 = 1024;     // tokens
override E: u32 = 8;        // experts
override SLOTS: u32 = 256;  // tokens that an expert takes

@group(0) @binding(0)
var<storage, read> logits: array<f32>;
// Row e: the tokens of expert e, the greatest logit first.
@group(0) @binding(1)
var<storage, read_write> taken: array<u32>;
// How many experts took each token.
@group(0) @binding(2)
var<storage, read_write> picks: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let expert = group.x;
    for (var token = lane; token < T; token += 256u) {
        let own = usable_logit(token * E, expert);
        var before = 0u;
        for (var other = 0u; other < T; other++) {
            let logit = usable_logit(other * E, expert);
            let is_first = logit > own
                || (logit == own && other < token);
            before += select(0u, 1u, is_first);
        }
        if (before < SLOTS) {
            taken[expert * SLOTS + before] = token;
            atomicAdd(&picks[token], 1u);
        }
    }
}
