override COUNT: u32 = 1;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x < COUNT) {
        y[gid.x] = x[gid.x] * x[gid.x];
    }
}
