// Each lane computes one element of C = A · B.
override M: u32;
override N: u32;
override K: u32;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= N || id.y >= M {
        return;
    }
    var sum = 0.0;
    for (var j = 0u; j < K; j++) {
        sum += a[id.y * K + j] * b[j * N + id.x];
    }
    c[id.y * N + id.x] = sum;
}
