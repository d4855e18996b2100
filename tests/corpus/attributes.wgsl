// runs
// out[0..] = 6

@group(0u) @binding(0x0) var<storage, read_write> out: array<u32,>;
@must_use fn f(x: u32,) -> u32 { return x; }
@compute @workgroup_size(1, 1, 1,)
fn main() {
    out[f(5u) - 5u] = 6u;
}
