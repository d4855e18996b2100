// out[i] = in[i * stride + offset]
override stride: u32 = 1;
override offset: u32 = 0;
override block: u32 = 256;

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(block)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    output[i] = input[i * stride + offset];
}
