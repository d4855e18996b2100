// Two layers: three neurons see the same number x, and an
// output adds up what they say. A lane has one network: the
// first has no activation, the second ReLU, the third tanh.

@group(0) @binding(0) var<storage, read> turn: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

fn activation(s: f32, which: u32) -> f32 {
    if (which == 0u) {
        return s;
    }
    if (which == 1u) {
        return max(s, 0.0);
    }
    return tanh(s);
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= 3u) {
        return;
    }
    let x = f32(turn[0]) / 2.0 - 4.0;
    let h0 = activation(x - 1.0, i);
    let h1 = activation(-x + 1.0, i);
    let h2 = activation(-x - 1.0, i);
    y[i] = 0.5 * h0 + h1 - 1.5 * h2;
}
