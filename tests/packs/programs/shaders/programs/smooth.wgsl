// A quarter of each neighbour and half of itself; beyond both ends are copies of the ends.
override N: u32;

@group(0) @binding(0) var<storage, read> now: array<f32>;
@group(0) @binding(1) var<storage, read_write> next: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i < N) {
        let left = now[max(i, 1u) - 1u];
        let right = now[min(i + 1u, N - 1u)];
        next[i] = 0.25 * left + 0.5 * now[i] + 0.25 * right;
    }
}
