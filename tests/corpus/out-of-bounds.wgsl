// runs
// finds out_of_bounds at line 12
// finds out_of_bounds at line 13
// finds out_of_bounds at line 14
// out[0..] = 1 2 3 4

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i + 1u;
    out[i + 62u] = 5u;
    var a = array<u32, 3>(); a[i] = 1u;
    if i == 0u { out[4000000000u] = 1u; }
}
