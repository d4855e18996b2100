// runs
// out[0..] = 1 2 3 4 5 6 7 8 0 0

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 0u { out[i] = 1u; }
    else if i == 1u { out[i] = 2u; }
    else if i == 2u { out[i] = 3u; }
    else if (i == 3u) { out[i] = 4u; }
    else if i == 4u { out[i] = 5u; }
    else if i == 5u { out[i] = 6u; }
    else if i == 6u { out[i] = 7u; }
    else if i == 7u { out[i] = 8u; }
    else {}
}
