// The exclusive scan of all sums by one workgroup, 256 at a time, and their total.
override BLOCKS: u32;

@group(0) @binding(0) var<storage, read> sums: array<u32>;
@group(0) @binding(1) var<storage, read_write> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> total: array<u32>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    var before = 0u;
    for (var first = 0u; first < BLOCKS; first += 256u) {
        let i = first + lane;
        var own = 0u;
        if (i < BLOCKS) {
            own = sums[i];
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
        if (i < BLOCKS) {
            starts[i] = before + part[lane] - own;
        }
        workgroupBarrier();
        before += part[255];
        workgroupBarrier();
    }
    if (lane == 0u) {
        total[0] = before;
    }
}
