// All-to-all in one step: each rank has a chunk for each rank.
// A rank reads, from all ranks, the chunk that is for itself.
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
    let i = first + lane;
    if (i >= CHUNK) {
        return;
    }
    for (var n = 0u; n < RANKS; n++) {
        let peer = (rank + n) % RANKS;
        result[(rank * RANKS + peer) * CHUNK + i] =
            data[(peer * RANKS + rank) * CHUNK + i];
        // What a rank has for itself is not sent.
        if (lane == 0 && n > 0) {
            atomicAdd(&meter[peer * RANKS + rank],
                      2 * min(256, CHUNK - first));
        }
    }
}
