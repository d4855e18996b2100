// The greatest weight of each row: a lane has a row.

override ROWS: u32 = 128;  // rows of weights
override SEQ: u32 = 64;    // weights in a row

@group(0) @binding(0) var<storage, read> probs: array<f32>;
@group(0) @binding(1) var<storage, read_write> top: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if (row >= ROWS) {
        return;
    }
    var greatest = 0.0;
    for (var j = 0u; j < SEQ; j++) {
        greatest = max(greatest, probs[row * SEQ + j]);
    }
    top[row] = greatest;
}
