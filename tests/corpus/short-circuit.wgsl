// runs
// out[0..] = 0 1 1 0 3 2

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> calls = 0u;

fn noted(b: bool) -> bool {
    calls += 1u;
    return b;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) zero: u32) {
    let t = zero == 0u;
    out[0] = u32(!t && noted(true));
    out[1] = u32(t || noted(true));
    out[2] = u32(t && noted(true));
    out[3] = u32(!t || noted(false));
    out[4] = u32((noted(t) || noted(t)) && !noted(!t)) + calls - 2u;
    // An index that would be out of bounds is not evaluated.
    var a = array<u32, 2>(2u, 3u);
    out[5] = select(9u, a[0], zero > 1u && a[zero + 5u] == 1u || t);
}
