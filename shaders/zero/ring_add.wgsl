// One step of a ring that sums (reduce-scatter): each rank
// reads a chunk of its left neighbour, and adds it to its own.
// The chunk that it adds is the one that its neighbour finished
// in the step before. A chunk starts at the rank after its
// owner, and ends at its owner.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override CHUNK: u32 = 4;  // elements of a chunk
override HELD: u32 = 1;   // layers that a rank's row has

@group(0) @binding(0) var<storage, read> turn: array<u32>;
@group(0) @binding(1) var<storage, read> layer: array<u32>;
@group(0) @binding(2)
var<storage, read_write> data: array<f16>;
@group(0) @binding(3)
var<storage, read_write> meter: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let first = group.x * 256;
    let rank = group.y;
    if (first + lane >= CHUNK || RANKS == 1) {
        return;
    }
    // `turn` counts on from ring to ring.
    let step = turn[0] % max(1, RANKS - 1);
    let left = (rank + RANKS - 1) % RANKS;
    let chunk = (rank + 2 * RANKS - 2 - step) % RANKS;
    let row = HELD * RANKS * CHUNK;
    let at = (layer[0] % HELD * RANKS + chunk) * CHUNK
        + first + lane;
    data[rank * row + at] += data[left * row + at];
    if (lane == 0) {
        atomicAdd(&meter[left * RANKS + rank],
                  2 * min(256, CHUNK - first));
    }
}
