// runs
// out[0..] = 64 30

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn a0(x: u32) -> u32 { return x + 1u; }
fn a1(x: u32) -> u32 { return a0(a0(x)); }
fn a2(x: u32) -> u32 { return a1(a1(x)); }
fn a3(x: u32) -> u32 { return a2(a2(x)); }
fn a4(x: u32) -> u32 { return a3(a3(x)); }
fn a5(x: u32) -> u32 { return a4(a4(x)); }
fn a6(x: u32) -> u32 { return a5(a5(x)); }

// Declared after its use, and with a value that is thrown away.
@compute @workgroup_size(1)
fn main() {
    out[0] = a6(0u);
    late(5u);
    out[1] = late(25u);
}

fn late(x: u32) -> u32 {
    out[1] = x;
    return x + 5u;
}
