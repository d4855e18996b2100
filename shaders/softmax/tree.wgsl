// Reductions over a workgroup by a tree in workgroup memory:
// in each turn, half as many lanes take part.

// BLOCK is a power of 2.
var<workgroup> partial: array<f32, BLOCK>;

// The maximum of the values of all lanes.
fn tree_max(local: u32, value: f32) -> f32 {
    partial[local] = value;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            let other = partial[local + half];
            partial[local] = max(partial[local], other);
        }
    }
    workgroupBarrier();
    let result = partial[0];
    workgroupBarrier();  // before the next reduction
    return result;
}

// The sum of the values of all lanes.
fn tree_sum(local: u32, value: f32) -> f32 {
    partial[local] = value;
    for (var half = BLOCK / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (local < half) {
            partial[local] += partial[local + half];
        }
    }
    workgroupBarrier();
    let result = partial[0];
    workgroupBarrier();
    return result;
}
