// The end of a chunk belongs to it here, and to the next one as
// well.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override COUNT: u32 = 18;  // elements of a rank

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
    let rank = group.y;
    let left = (rank + RANKS - 1) % RANKS;
    let chunk = (rank + 2 * RANKS - 2 - turn[0]) % RANKS;
    let first = chunk * COUNT / RANKS + group.x * 256;
    let end = (chunk + 1) * COUNT / RANKS;
    let at = first + lane;
    if (at > end || turn[0] + 1 >= RANKS) {
        return;
    }
    data[rank * COUNT + at] += data[left * COUNT + at];
    if (lane == 0) {
        atomicAdd(&meter[left * RANKS + rank],
                  2 * min(256, end - first));
    }
}
