// runs
// out[0..] = 5

diagnostic(off, derivative_uniformity);
diagnostic(warning, subgroup_uniformity);

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@diagnostic(off, derivative_uniformity)
fn f() -> u32 {
    return 5u;
}

@compute @workgroup_size(1)
fn main() {
    out[0] = f();
}
