// The parameters that the products read: a rank rounds its
// part of a layer's master copy from f32 to f16.
// A lane has one element; y is the rank from FIRST on.

enable f16;

override LAYERS: u32 = 2;
override OWN: u32 = 272;  // elements of a layer to update
override ROW: u32 = 272;  // elements of a layer in `weights`
override SHIFT: u32 = 0;  // from one rank's part to the next
override FIRST: u32 = 0;  // the rank of y = 0

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> master: array<f32>;
@group(0) @binding(2)
var<storage, read_write> weights: array<f16>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = FIRST + gid.y;
    if (i >= OWN) {
        return;
    }
    let row = gid.y * LAYERS + layer[0];
    weights[row * ROW + rank * SHIFT + i] =
        f16(master[row * OWN + i]);
}
