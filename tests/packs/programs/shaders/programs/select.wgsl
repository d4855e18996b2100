// Lists the places of all keys that three divides, in no order.
override N: u32;

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> list: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < N && keys[id.x] % 3u == 0u) {
        list[atomicAdd(&found, 1u)] = id.x;
    }
}
