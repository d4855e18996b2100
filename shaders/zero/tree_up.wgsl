// A step of a tree that sums: ranks meet in pairs, and one of
// each reads all that the other has, and adds it. In the first
// step they are neighbours; the distance doubles each time. In
// the end rank 0 has the sum.
// A lane has one element; y is the rank.

enable f16;

override RANKS: u32 = 4;
override COUNT: u32 = 16;  // elements of a rank

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
    let distance = 1u << turn[0];
    let peer = rank + distance;
    if (rank % (2 * distance) != 0 || peer >= RANKS) {
        return;
    }
    data[rank * COUNT + i] += data[peer * COUNT + i];
    if (lane == 0) {
        atomicAdd(&meter[peer * RANKS + rank],
                  2 * min(256, COUNT - first));
    }
}
