// The sum of CHUNK elements a workgroup, which has one lane.
override N: u32;
override CHUNK: u32;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    var sum = 0.0;
    let end = min(N, (group.x + 1u) * CHUNK);
    for (var i = group.x * CHUNK; i < end; i++) {
        sum += x[i];
    }
    sums[group.x] = sum;
}
