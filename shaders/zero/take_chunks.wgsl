// All-reduce in two steps, the second: a rank reads each of the
// other chunks from its owner.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override CHUNK: u32 = 4;  // elements of a chunk

@group(0) @binding(0)
var<storage, read_write> result: array<f16>;
@group(0) @binding(1)
var<storage, read_write> meter: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = group.x * 256;
    let rank = group.y;
    if (first + lane >= CHUNK) {
        return;
    }
    let row = RANKS * CHUNK;
    for (var n = 1u; n < RANKS; n++) {
        let peer = (rank + n) % RANKS;
        let at = peer * CHUNK + first + lane;
        result[rank * row + at] = result[peer * row + at];
        if (lane == 0) {
            atomicAdd(&meter[peer * RANKS + rank],
                      2 * min(256, CHUNK - first));
        }
    }
}
