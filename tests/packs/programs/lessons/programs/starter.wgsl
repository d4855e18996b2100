// The sum of CHUNK elements a workgroup: lane by lane, then in a tree.
override N: u32;
override CHUNK: u32;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> part: array<f32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var sum = 0.0;
    let end = min(N, (group.x + 1u) * CHUNK);
    for (var i = group.x * CHUNK + lane; i < end; i += 256u) {
        sum += x[i];
    }
    part[lane] = sum;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            part[lane] += part[lane + half];
        }
    }
    if (lane == 0u) {
        sums[group.x] = 0.0;
    }
}
