// Shards in groups of GPUs: the model state that a GPU keeps,
// and the bytes that leave a node in a step. Rings go through
// the GPUs node after node, so each crosses a node's border
// once.
// A lane has one size of a group: a GPU, GROUP GPUs, all.

override PARAMS: f32 = 7.5e9;
override RANKS: f32 = 64.0;  // GPUs in all
override NODE: f32 = 8.0;    // of a node
override GROUP: f32 = 8.0;   // of a group
override MICRO: f32 = 1.0;   // micro-batches of a step

// A bar: its track, its part, its beginning and its end.
@group(0) @binding(0)
var<storage, read_write> bars: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> keeps: array<f32>;
@group(0) @binding(2) var<storage, read_write> sends: array<f32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) lane: u32) {
    let sizes = array<f32, 3>(1.0, GROUP, RANKS);
    let size = sizes[lane];
    let state = 16.0 * PARAMS / size;
    var gradients = 0.0;
    var parameters = 0.0;
    if (size > NODE) {
        // The group's own rings leave the node.
        let ring = 2.0 * PARAMS * (size - 1.0) / size;
        gradients = MICRO * ring;
        parameters = 2.0 * MICRO * ring;
    }
    if (RANKS > max(size, NODE)) {
        // Each shard's gradients are all-reduced over the groups
        // once, and a node has so many shards.
        let shards = min(size, NODE);
        let groups = RANKS / size;
        gradients += shards * 2.0 * 2.0 * PARAMS / size
            * (groups - 1.0) / groups;
    }
    let keep = f32(2 * lane);
    let send = f32(2 * lane + 1);
    let all = gradients + parameters;
    bars[3 * lane] = vec4(keep, 2.0, 0.0, state);
    bars[3 * lane + 1] = vec4(send, 1.0, 0.0, gradients);
    bars[3 * lane + 2] = vec4(send, 0.0, gradients, all);
    keeps[lane] = state;
    sends[lane] = all;
}
