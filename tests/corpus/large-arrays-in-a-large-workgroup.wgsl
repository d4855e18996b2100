// refused: MiB at line 1

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(128, 128)
fn main(@builtin(local_invocation_index) i: u32) {
    var a: array<u32, 15000>;
    a[i] = i;
    out[i] = a[i / 2u];
}
