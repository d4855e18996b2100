// A scan over the 256 lanes of a workgroup: in each step, a
// lane adds the sum that lies twice as far to the left.

var<workgroup> sums: array<u32, 256>;

// The sum of the values of this lane and all lanes before it.
fn scan_block(lane: u32, value: u32) -> u32 {
    sums[lane] = value;
    for (var step = 1u; step < 256u; step *= 2u) {
        workgroupBarrier();
        var left = 0u;
        if (lane >= step) {
            left = sums[lane - step];
        }
        workgroupBarrier();
        sums[lane] += left;
    }
    return sums[lane];
}
