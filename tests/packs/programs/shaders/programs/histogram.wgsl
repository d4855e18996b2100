// How many keys of each block of 256 are even.
override N: u32;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> evens: array<u32>;

var<workgroup> count: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    if (id.x < N && keys[id.x] % 2u == 0u) {
        atomicAdd(&count, 1u);
    }
    workgroupBarrier();
    if (lane == 0u) {
        evens[group.x] = atomicLoad(&count);
    }
}
