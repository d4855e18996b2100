// runs

enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
var<private> a: coop_mat8x8<f32, A>;
var<private> b: coop_mat8x8<f32, B>;

@compute @workgroup_size(8, 8, 1)
fn main() {
    var c = coopLoad<coop_mat8x8<f32, C>>(&out[4]);
    var d = coopMultiplyAdd(a, b, c);
    coopStore(d, &out[0]);
}
