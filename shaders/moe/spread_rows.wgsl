// Combine, backwards: each row that an expert gave gets its
// token's row of dy, times the weight that it has in the sum.
// A lane has one element; neighbours have neighbours.

override N: u32 = 2048;  // choices: tokens times K
override K: u32 = 2;     // experts that a token goes to
override D: u32 = 64;    // columns of dy

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3)
var<storage, read_write> drows: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * groups.x * 256u;
    if (i >= N * D) {
        return;
    }
    let choice = source[i / D];
    let token = choice / K;
    drows[i] = weight[choice] * dy[token * D + i % D];
}
