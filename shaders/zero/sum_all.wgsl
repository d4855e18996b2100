// All-reduce in one step: each rank reads everything of all
// ranks, and adds it up for itself, rank 0 first.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override COUNT: u32 = 16;  // elements of a rank

@group(0) @binding(0) var<storage, read> data: array<f16>;
@group(0) @binding(1)
var<storage, read_write> result: array<f16>;
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
    var sum = data[i];
    for (var peer = 1u; peer < RANKS; peer++) {
        sum += data[peer * COUNT + i];
    }
    result[rank * COUNT + i] = sum;
    if (lane == 0) {
        for (var peer = 0u; peer < RANKS; peer++) {
            if (peer != rank) {
                atomicAdd(&meter[peer * RANKS + rank],
                          2 * min(256, COUNT - first));
            }
        }
    }
}
