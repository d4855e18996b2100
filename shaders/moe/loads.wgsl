// How evenly the experts are used. A workgroup has one expert:
// f is its share of the choices, p its mean probability over
// the tokens. E times the sum of f * p over the experts is the
// auxiliary loss.
// #include "usable.wgsl"

override T: u32 = 1024;  // tokens
override E: u32 = 8;     // experts
override N: u32 = 2048;  // choices: tokens times K

@group(0) @binding(0)
var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> lse: array<f32>;
@group(0) @binding(2) var<storage, read> chosen: array<u32>;
// E times f: 1 for an expert with its fair share.
@group(0) @binding(3)
var<storage, read_write> loads: array<f32>;
// E times f times p.
@group(0) @binding(4)
var<storage, read_write> terms: array<f32>;
// 1 for an expert that a token has chosen, else 0.
@group(0) @binding(5)
var<storage, read_write> used: array<u32>;

var<workgroup> counts: array<f32, 256>;
var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let expert = group.x;
    var count = 0.0;
    for (var i = lane; i < N; i += 256u) {
        count += select(0.0, 1.0, chosen[i] == expert);
    }
    var sum = 0.0;
    for (var token = lane; token < T; token += 256u) {
        let logit = usable_logit(token * E, expert);
        sum += exp(logit - lse[token]);
    }
    counts[lane] = count;
    sums[lane] = sum;
    for (var step = 128u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if (lane < step) {
            counts[lane] += counts[lane + step];
            sums[lane] += sums[lane + step];
        }
    }
    if (lane == 0u) {
        let load = f32(E) * counts[0] / f32(N);
        loads[expert] = load;
        used[expert] = select(0u, 1u, counts[0] > 0.0);
        terms[expert] = load * sums[0] / f32(T);
    }
}
