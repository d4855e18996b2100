// The exclusive scan of each block of 256 elements, and the block's sum.
override N: u32;

@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> scanned: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = group.x * 256u + lane;
    var own = 0u;
    if (i < N) {
        own = x[i];
    }
    part[lane] = own;
    for (var step = 1u; step < 256u; step *= 2u) {
        workgroupBarrier();
        var left = 0u;
        if (lane >= step) {
            left = part[lane - step];
        }
        workgroupBarrier();
        part[lane] += left;
    }
    if (i < N) {
        scanned[i] = part[lane] - own;
    }
    if (lane == 255u) {
        sums[group.x] = part[lane];
    }
}
