// The plain copy, 16 bytes a lane: as many bytes in flight for each instruction as a lane can ask for.
@group(0) @binding(0) var<storage, read> src: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<f32>>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // A grid is at most 65,535 wide, so large copies use its second dimension.
    let i = (group.y * groups.x + group.x) * 256u + lane;
    dst[i] = src[i];
}
