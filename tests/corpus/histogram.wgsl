// runs
// grid 4 1 1
// out[0..] = 32 32 32 32

@group(0) @binding(0) var<storage, read> data: array<u32, 128>;
@group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>>;
var<workgroup> bins: array<atomic<u32>, 4>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) at: vec3<u32>) {
    atomicAdd(&bins[data[at.x] % 4u], 1u);
    workgroupBarrier();
    if i < 4u {
        atomicAdd(&out[i], atomicLoad(&bins[i]));
    }
}
