// A step of a tree that copies (broadcast): ranks that have the
// numbers of rank 0 hand them on. In the first step it is rank
// 0 alone; in each step twice as many have them.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override COUNT: u32 = 16;  // elements of a rank
override FAR: u32 = 2;     // the distance of the first step

@group(0) @binding(0) var<storage, read> turn: array<u32>;
@group(0) @binding(1)
var<storage, read_write> data: array<f16>;
@group(0) @binding(2)
var<storage, read_write> meter: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = group.x * 256;
    let rank = group.y;
    let i = first + lane;
    if (i >= COUNT) {
        return;
    }
    let distance = FAR >> turn[0];
    if (rank % (2 * distance) != distance) {
        return;
    }
    let peer = rank - distance;
    data[rank * COUNT + i] = data[peer * COUNT + i];
    if (lane == 0) {
        atomicAdd(&meter[peer * RANKS + rank],
                  2 * min(256, COUNT - first));
    }
}
