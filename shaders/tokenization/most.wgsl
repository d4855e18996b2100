// The greatest of all counters: each lane takes 16 of them, a
// workgroup finds its maximum as a tree, and the workgroups
// meet at best[0].

override CELLS: u32 = 82944;  // counters: V * V

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1)
var<storage, read_write> best: array<atomic<u32>>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    var most = 0u;
    for (var turn = 0u; turn < 16u; turn++) {
        let i = (group.x * 16u + turn) * 256u + lane;
        if (i < CELLS) {
            most = max(most, counts[i]);
        }
    }
    part[lane] = most;
    for (var step = 128u; step > 0u; step /= 2u) {
        workgroupBarrier();
        if (lane < step) {
            part[lane] = max(part[lane], part[lane + step]);
        }
    }
    if (lane == 0u) {
        atomicMax(&best[0], part[0]);
    }
}
