// Brings the tokens' rows into the experts' order: row r of
// `rows` is that of the token whose choice got it.
// A lane moves one element; neighbours move neighbours.

override N: u32 = 2048;  // choices: tokens times K
override K: u32 = 2;     // experts that a token goes to
override D: u32 = 64;    // columns of x

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2)
var<storage, read_write> rows: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * groups.x * 256u;
    if (i >= N * D) {
        return;
    }
    let token = source[i / D] / K;
    rows[i] = x[token * D + i % D];
}
