// refused: 64-bit at line 3

@group(0) @binding(0) var<storage, read_write> out: array<vec2<i64>>;

@compute @workgroup_size(1)
fn main() {
    out[0] = vec2<i64>(1li);
}
