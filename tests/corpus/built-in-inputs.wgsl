// runs
// grid 2 3 1
// out[0..] = 2 3 1 4 5 2

struct Inputs {
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(global_invocation_id) global: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
}
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(2, 2, 3)
fn main(all: Inputs, @builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    if all.group.x == 1u && all.group.y == 2u && i == 11u {
        out[0] = n.x;
        out[1] = n.y;
        out[2] = n.z;
        out[3] = all.global.x + 1u;
        out[4] = all.global.y;
        out[5] = all.local.z;
    }
}
