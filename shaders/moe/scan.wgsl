// Where each count's rows start: the exclusive scan, the sum of
// all counts before it. `starts` has one element more than
// `counts`: the sum of all.
// One workgroup takes 256 counts at a time. In each step, a
// lane adds the sum that lies twice as far to the left.

override N: u32 = 8;  // counts

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1)
var<storage, read_write> starts: array<u32>;

var<workgroup> part: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lane: u32) {
    var before = 0u;
    for (var first = 0u; first < N; first += 256u) {
        let i = first + lane;
        var own = 0u;
        if (i < N) {
            own = counts[i];
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
            starts[i] = before + part[lane] - own;
        }
        workgroupBarrier();
        before += part[255];
        workgroupBarrier();
    }
    if (lane == 0u) {
        starts[N] = before;
    }
}
