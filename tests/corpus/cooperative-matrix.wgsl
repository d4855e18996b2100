// refused: a cooperative matrix in memory at line 4

enable wgpu_cooperative_matrix;
var<workgroup> kept: coop_mat8x8<f32, C>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8, 8, 1)
fn main() {
    kept = coopLoad<coop_mat8x8<f32, C>>(&out[4]);
    coopStore(kept, &out[0]);
}
