// runs
// finds out_of_fuel at line 9

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    loop {
        out[i] += 1u;
        if out[i] == 0u { break; }
    }
}
