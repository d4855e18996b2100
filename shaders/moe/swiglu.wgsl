// What an expert does between its two products: the left half
// of a row, through x / (1 + exp(-x)), times the right half.
// A lane computes one element.

override N: u32 = 2048;  // rows: choices, tokens times K
override F: u32 = 128;   // columns of hidden, half of gates'

@group(0) @binding(0) var<storage, read> gates: array<f32>;
@group(0) @binding(1)
var<storage, read_write> hidden: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * groups.x * 256u;
    if (i >= N * F) {
        return;
    }
    let left = i / F * (2u * F) + i % F;
    let gate = gates[left];
    // Beyond 80 the result is gate or 0 in any case.
    let share = 1.0 / (1.0 + exp(min(-gate, 80.0)));
    hidden[i] = gate * share * gates[left + F];
}
