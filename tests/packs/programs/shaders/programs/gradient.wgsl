// What CHUNK points say of the line w[0] * x + w[1]: the sums of both derivatives of the squared error, and of the error itself.
override N: u32;
override CHUNK: u32;

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read> w: array<f32>;
@group(0) @binding(3) var<storage, read_write> parts: array<f32>;

var<workgroup> part: array<vec3<f32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var sum = vec3<f32>();
    let end = min(N, (group.x + 1u) * CHUNK);
    for (var i = group.x * CHUNK + lane; i < end; i += 256u) {
        let error = w[0] * x[i] + w[1] - y[i];
        sum += vec3(2.0 * error * x[i], 2.0 * error, error * error);
    }
    part[lane] = sum;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane < half) {
            part[lane] += part[lane + half];
        }
    }
    if (lane == 0u) {
        parts[3u * group.x] = part[0].x;
        parts[3u * group.x + 1u] = part[0].y;
        parts[3u * group.x + 2u] = part[0].z;
    }
}
