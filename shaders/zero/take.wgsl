// The start: each rank takes the part of the checkpoint that it
// updates, in f32. What is behind a layer's last parameter is
// padding, and stays 0.
// A lane has one element; y is the rank from FIRST on, z
// the layer.

override LAYERS: u32 = 2;
override PARAMS: u32 = 272;  // parameters of a layer
override OWN: u32 = 272;     // elements of a layer to update
override SHIFT: u32 = 0;     // from this times its number on
override FIRST: u32 = 0;     // the rank of y = 0

@group(0) @binding(0)
var<storage, read> checkpoint: array<f32>;
@group(0) @binding(1)
var<storage, read_write> master: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = FIRST + gid.y;
    let layer = gid.z;
    if (i >= OWN) {
        return;
    }
    let element = rank * SHIFT + i;
    var value = 0.0;
    if (element < PARAMS) {
        value = checkpoint[layer * PARAMS + element];
    }
    master[(gid.y * LAYERS + layer) * OWN + i] = value;
}
