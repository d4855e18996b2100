// A residual: what a branch made is added to what went past it.
// A lane has one element.

override N: u32 = 256;
// Layers that each buffer has, and whether the sum is the input
// of the layer after this one.
override A_HELD: u32 = 1;
override SUM_HELD: u32 = 1;
override NEXT: u32 = 0;

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> branch: array<f32>;
@group(0) @binding(3) var<storage, read_write> sum: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    if (i < N) {
        let old = layer[0] % A_HELD * N;
        let place = (layer[0] + NEXT) % SUM_HELD * N;
        sum[place + i] = a[old + i] + branch[i];
    }
}
