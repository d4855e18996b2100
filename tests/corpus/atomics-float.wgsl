// runs
// sum[0..] = 9.5
// out[0..] = 0 5

@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<storage, read_write> sum: atomic<f32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = atomicAdd(&sum, 5.0);
    out[1] = atomicSub(&sum, -4.5);
}
