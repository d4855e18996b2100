// All experts' products by one launch whose grid fits the worst
// case: every expert has as many rows of workgroups as if all
// rows were its own. Those past its last row return at once.
// #include "expert_tile.wgsl"

override D: u32 = 64;   // columns of rows, rows of a matrix
override F: u32 = 128;  // columns of a matrix

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// Each expert's matrix of D x F, one after the other.
@group(0) @binding(2) var<storage, read> w: array<f32>;
@group(0) @binding(3)
var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let expert = group.z;
    let row_end = starts[expert + 1u];
    let first_row = starts[expert] + group.y * BM;
    if (first_row >= row_end) {
        return;
    }
    expert_tile(lane, expert, first_row, row_end,
                group.x * BN);
}
