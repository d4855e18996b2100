// The maximum of a number of each lane, in a tree: every lane
// gets it. BLOCK is the workgroup's size, a power of two.

var<workgroup> maxima: array<f32, BLOCK>;

fn max_lanes(lane: u32, own: f32) -> f32 {
    workgroupBarrier();  // nobody reads the one before
    maxima[lane] = own;
    for (var half = BLOCK / 2; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane < half) {
            maxima[lane] = max(maxima[lane], maxima[lane + half]);
        }
    }
    workgroupBarrier();
    return maxima[0];
}
