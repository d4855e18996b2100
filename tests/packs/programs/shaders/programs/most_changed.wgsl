// The largest change of any element, in millionths.
override N: u32;

@group(0) @binding(0) var<storage, read> now: array<f32>;
@group(0) @binding(1) var<storage, read> next: array<f32>;
@group(0) @binding(2) var<storage, read_write> change: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < N) {
        atomicMax(&change, u32(1e6 * abs(next[id.x] - now[id.x])));
    }
}
