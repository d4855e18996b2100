// As count_pairs, with the pairs of a workgroup sorted first:
// equal ones stand together then, and the first of them adds
// how many there are. A workgroup has 1,024 positions.

override V: u32 = 288;      // tokens that there can be
const PAIRS: u32 = 1024u;
const LANES: u32 = 256u;
const NONE = 0xffffffffu;   // no pair: behind all others

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> wall: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4)
var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> pairs: array<u32, PAIRS>;

fn pair_at(i: u32) -> u32 {
    if (i + 1u >= length[0]) {
        return NONE;
    }
    if (wall[offset[i + 1u]] == 1u) {
        return NONE;
    }
    return ids[i] * V + ids[i + 1u];
}

// The first place behind those of the pair.
fn end_of(pair: u32, start: u32) -> u32 {
    var low = start;
    var high = PAIRS;
    while (low < high) {
        let middle = (low + high) / 2u;
        if (pairs[middle] <= pair) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var p = lane; p < PAIRS; p += LANES) {
        pairs[p] = pair_at(group.x * PAIRS + p);
    }
    // A bitonic sort: runs of `size` are merged, every second
    // one downwards, by exchanges over ever shorter steps.
    for (var size = 2u; size <= PAIRS; size *= 2u) {
        for (var step = size / 2u; step > 0u; step /= 2u) {
            workgroupBarrier();
            for (var t = lane; t < PAIRS / 2u; t += LANES) {
                let low = t / step * 2u * step + t % step;
                let a = pairs[low];
                let b = pairs[low + step];
                if ((a > b) == ((low & size) == 0u)) {
                    pairs[low] = b;
                    pairs[low + step] = a;
                }
            }
        }
    }
    workgroupBarrier();
    for (var p = lane; p < PAIRS; p += LANES) {
        let pair = pairs[p];
        var is_first = pair != NONE;
        if (p > 0u) {
            is_first = is_first && pairs[p - 1u] != pair;
        }
        if (is_first) {
            atomicAdd(&counts[pair], end_of(pair, p) - p);
        }
    }
}
