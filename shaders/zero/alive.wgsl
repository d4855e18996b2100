// Bytes in memory after each pass of a training step, if each
// tensor is freed as soon as nothing needs it any more. A row
// of `alive` is a pass: the batch is loaded, layers go forward,
// the loss, layers go backward, the update.
// One lane walks through all of them.

override LAYERS: u32 = 4;
override PARAMS: f32 = 272.0;  // of a layer
override RESULT: f32 = 1024.0;  // numbers that a layer gives

@group(0) @binding(0)
var<storage, read_write> alive: array<f32>;
@group(0) @binding(1)
var<storage, read_write> peak: array<u32>;

var<private> pass_now = 0u;
var<private> most = 0.0;
// Tensors in memory: results in 16 bits, the loss's targets in
// 32 bits, and layers that have gradients.
var<private> results = 0u;
var<private> targets = 0u;
var<private> gradients = 0u;

fn note() {
    let all = f32(LAYERS) * PARAMS;
    var row: array<f32, 8>;  // 5 and 6 belong to later pages
    row[0] = 2.0 * all;
    row[1] = 2.0 * f32(gradients) * PARAMS;
    row[2] = 4.0 * all;
    row[3] = 4.0 * all;
    row[4] = 4.0 * all;
    row[7] = f32(2 * results + 4 * targets) * RESULT;
    var sum = 0.0;
    for (var part = 0u; part < 8; part++) {
        alive[8 * pass_now + part] = row[part];
        sum += row[part];
    }
    if (sum > most) {
        most = sum;
        peak[0] = pass_now;
    }
    pass_now += 1;
}

@compute @workgroup_size(1)
fn main() {
    results = 1;  // the batch is the first layer's input
    targets = 1;
    note();
    for (var layer = 0u; layer < LAYERS; layer++) {
        results += 1;
        note();
    }
    // The result's gradient takes the result's place.
    targets = 0;
    note();
    for (var layer = 0u; layer < LAYERS; layer++) {
        // The input's gradient takes the input's place.
        gradients += 1;
        results -= 1;
        note();
    }
    gradients = 0;
    results = 0;
    note();
}
