// Counts in a small table of the workgroup, and adds each of
// its sums to the global counter once.

override V: u32 = 288;      // tokens that there can be
const PLACES: u32 = 1024u;
const EACH: u32 = 16u;      // positions of a lane
const FREE: u32 = 0u;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4)
var<storage, read_write> counts: array<atomic<u32>>;

// The pair of each place, plus 1, and how often it came.
var<workgroup> holder: array<atomic<u32>, PLACES>;
var<workgroup> times: array<atomic<u32>, PLACES>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var turn = 0u; turn < EACH; turn++) {
        let i = (group.x * EACH + turn) * 256u + lane;
        if (i + 1u >= length[0]) {
            break;
        }
        if (wall[offset[i + 1u]] == 1u) {
            continue;
        }
        let pair = ids[i] * V + ids[i + 1u];
        let place = (pair * 2654435769u) >> 22u;
        var held = atomicLoad(&holder[place]);
        if (held == FREE) {
            let found = atomicCompareExchangeWeak(
                &holder[place], FREE, pair + 1u);
            held = select(found.old_value, pair + 1u,
                          found.exchanged);
        }
        if (held == pair + 1u) {
            atomicAdd(&times[place], 1u);
        } else {
            atomicAdd(&counts[pair], 1u);
        }
    }
    workgroupBarrier();
    for (var p = lane; p < PLACES; p += 256u) {
        let held = atomicLoad(&holder[p]);
        if (held != FREE) {
            atomicAdd(&counts[held - 1u], atomicLoad(&times[p]));
        }
    }
}
