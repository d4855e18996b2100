// Against `product_padded`: only as many workgroups are
// launched as there are tiles; each looks its tile up.
// #include "expert_tile.wgsl"

override D: u32 = 64;   // columns of rows, rows of a matrix
override F: u32 = 128;  // columns of a matrix
override STRIDE: u32 = 1;  // numbers in starts per expert

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> tiles: array<u32>;
// Each expert's matrix of D x F, one after the other.
@group(0) @binding(3) var<storage, read> w: array<f32>;
@group(0) @binding(4)
var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let expert = tiles[2u * group.y];
    let first_row = tiles[2u * group.y + 1u];
    let row_end = starts[(expert + 1u) * STRIDE];
    expert_tile(lane, expert, first_row, row_end,
                group.x * BN);
}
