// Lookup: lane i loads the element of a table that pick[i]
// names. The lanes of a warp pick elements here and there, some
// of them the same.

override N: u32 = 1048576;    // elements looked up
override BLOCK: u32 = 256;    // workgroup size

@group(0) @binding(0) var<storage, read> pick: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * (groups.x * BLOCK);
    if (i < N) {
        let place = pick[i];
        let value = table[place];
        dst[i] = value;
    }
}
