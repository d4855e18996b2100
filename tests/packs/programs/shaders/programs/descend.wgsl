// Adds up the parts, and takes a step down the mean error's slope. The loss is that of the line before the step.
override N: u32;
override PARTS: u32;
override RATE: f32;

@group(0) @binding(0) var<storage, read> parts: array<f32>;
@group(0) @binding(1) var<storage, read_write> w: array<f32>;
@group(0) @binding(2) var<storage, read_write> loss: array<f32>;

@compute @workgroup_size(1)
fn main() {
    var sum = vec3<f32>();
    for (var i = 0u; i < PARTS; i++) {
        sum += vec3(parts[3u * i], parts[3u * i + 1u], parts[3u * i + 2u]);
    }
    loss[0] = sum.z / f32(N);
    w[0] -= RATE * sum.x / f32(N);
    w[1] -= RATE * sum.y / f32(N);
}
