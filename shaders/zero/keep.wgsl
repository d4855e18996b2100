// After a layer's gradient is summed, a rank keeps its own
// chunk. The bucket is free for another layer. Before the first
// layer is summed, `layer` is LAYERS, and there is nothing yet.
// A lane has one element; y is the rank from FIRST on.

enable f16;

override RANKS: u32 = 4;
override LAYERS: u32 = 2;
override CHUNK: u32 = 68;  // elements of a shard
override HELD: u32 = 1;    // layers that `grads` has
override FIRST: u32 = 0;   // the rank of y = 0

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> grads: array<f16>;
@group(0) @binding(2)
var<storage, read_write> grad_shard: array<f16>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let rank = FIRST + gid.y;
    if (i >= CHUNK) {
        return;
    }
    let now = layer[0];
    if (now < LAYERS) {
        let row = gid.y * LAYERS + now;
        let held = gid.y * HELD + now % HELD;
        grad_shard[row * CHUNK + i] =
            grads[(held * RANKS + rank) * CHUNK + i];
    }
}
