// What the gradient of a row of scores needs of the whole row:
// the product of the head's result with its gradient.
// A lane has one row of a head.

override ROWS: u32 = 16;
override WIDTH: u32 = 16;
override HEADS: u32 = 2;
override D: u32 = 8;     // numbers of a head
override HELD: u32 = 2;  // layers that `o` has

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> o: array<f32>;
@group(0) @binding(2) var<storage, read> d_o: array<f32>;
@group(0) @binding(3)
var<storage, read_write> delta: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 64 + lane;
    if (i >= ROWS * HEADS) {
        return;
    }
    let at = layer[0] % HELD * ROWS * WIDTH + i * D;
    var sum = 0.0;
    for (var c = 0u; c < D; c++) {
        sum += o[at + c] * d_o[i * D + c];
    }
    delta[i] = sum;
}
