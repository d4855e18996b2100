// All-reduce in two steps, the first: a rank reads its own
// chunk of all ranks, and adds it up. It begins with the rank
// after itself and ends with itself, as the ring does.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override CHUNK: u32 = 4;  // elements of a chunk

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
    if (first + lane >= CHUNK) {
        return;
    }
    let row = RANKS * CHUNK;
    let at = rank * CHUNK + first + lane;
    var sum = data[(rank + 1) % RANKS * row + at];
    for (var n = 2u; n <= RANKS; n++) {
        sum += data[(rank + n) % RANKS * row + at];
    }
    result[rank * row + at] = sum;
    if (lane == 0) {
        for (var n = 1u; n < RANKS; n++) {
            let peer = (rank + n) % RANKS;
            atomicAdd(&meter[peer * RANKS + rank],
                      2 * min(256, CHUNK - first));
        }
    }
}
