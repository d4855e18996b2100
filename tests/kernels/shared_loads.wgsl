// Eight loads of s[lane * k] a warp.
override k: u32 = 1;

@group(0) @binding(0) var<storage, read_write> output: array<f32>;

var<workgroup> s: array<f32, 1024>;

@compute @workgroup_size(32)
fn loads(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var i = 0u; i < 8u; i++) {
        sum += s[lane * k];
    }
    output[id.x] = sum;
}
