// A copy of four floats a lane.
@group(0) @binding(0) var<storage, read> input: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<f32>>;

@compute @workgroup_size(256)
fn copy4(@builtin(global_invocation_id) id: vec3<u32>) {
    output[id.x] = input[id.x];
}
