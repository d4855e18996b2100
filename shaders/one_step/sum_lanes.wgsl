// The sum of a number of each lane, in a tree: every lane gets
// it. BLOCK is the workgroup's size, a power of two.

var<workgroup> parts: array<f32, BLOCK>;

fn sum_lanes(lane: u32, own: f32) -> f32 {
    workgroupBarrier();  // nobody reads the sum before this one
    parts[lane] = own;
    for (var half = BLOCK / 2; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane < half) {
            parts[lane] += parts[lane + half];
        }
    }
    workgroupBarrier();
    return parts[0];
}
