// Balance without a loss: the bias of an expert with more than
// its fair share goes down by a fixed step, that of one with
// less goes up. A lane has one expert.

override E: u32 = 8;  // experts
override STEP: f32 = 0.001;

@group(0) @binding(0) var<storage, read> loads: array<f32>;
@group(0) @binding(1)
var<storage, read_write> bias: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let expert = gid.x;
    if (expert < E) {
        bias[expert] += STEP * sign(1.0 - loads[expert]);
    }
}
