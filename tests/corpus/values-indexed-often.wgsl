// refused: too large at line 8

const a = array<u32, 16000>();
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1024)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + a[i + 1u] + a[i + 2u] + a[i + 3u] + a[i + 4u] + a[i + 5u] + a[i + 6u] + a[i + 7u];
}
