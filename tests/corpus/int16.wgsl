// refused: 16-bit at line 4

enable wgpu_int16;
@group(0) @binding(0) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(1)
fn main() {
    out[0] = i16(3);
}
