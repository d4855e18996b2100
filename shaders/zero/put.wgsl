// Before parameters are gathered, a rank puts its shard of the
// layer where it belongs in the whole layer.
// A lane has one element; y is the rank from FIRST on.

enable f16;

override RANKS: u32 = 4;
override LAYERS: u32 = 2;
override CHUNK: u32 = 68;  // elements of a shard
override HELD: u32 = 1;    // layers that `weights` has
override FIRST: u32 = 0;   // the rank of y = 0

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1)
var<storage, read> weight_shard: array<f16>;
@group(0) @binding(2)
var<storage, read_write> weights: array<f16>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = FIRST + gid.y;
    if (i < CHUNK) {
        let now = layer[0];
        let row = gid.y * LAYERS + now;
        let held = gid.y * HELD + now % HELD;
        weights[(held * RANKS + rank) * CHUNK + i] =
            weight_shard[row * CHUNK + i];
    }
}
