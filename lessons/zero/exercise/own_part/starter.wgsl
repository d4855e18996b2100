// An update without an optimizer: every rank moves against the
// gradient of the layer's first part, and m and v stay 0. Make
// it AdamW, of the rank's own part.
// A lane has one parameter; y is the rank from FIRST
// on, z the layer.

enable f16;

override LAYERS: u32 = 2;
override OWN: u32 = 272;  // elements of a layer to update
override ROW: u32 = 272;  // elements of a layer in `grads`
override SHIFT: u32 = 0;  // from one rank's part to the next
override FIRST: u32 = 0;  // the rank of y = 0
override RATE: f32 = 0.01;
override SCALE: f32 = 1024.0;  // the gradients' factor

@group(0) @binding(0) var<storage, read> updates: array<u32>;
@group(0) @binding(1) var<storage, read> grads: array<f16>;
@group(0) @binding(2)
var<storage, read_write> master: array<f32>;
@group(0) @binding(3) var<storage, read_write> m: array<f32>;
@group(0) @binding(4) var<storage, read_write> v: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = FIRST + gid.y;
    if (i >= OWN) {
        return;
    }
    let row = gid.y * LAYERS + gid.z;
    let own = row * OWN + i;
    let g = f32(grads[row * ROW + i]) / SCALE;
    m[own] = 0.0;
    v[own] = 0.0;
    master[own] -= RATE * g;
}
