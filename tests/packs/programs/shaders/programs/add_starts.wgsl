// Adds to each element what all blocks before its own came to.
override N: u32;

@group(0) @binding(0) var<storage, read_write> scanned: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (id.x < N) {
        scanned[id.x] += starts[group.x];
    }
}
