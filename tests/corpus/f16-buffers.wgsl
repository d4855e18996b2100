// refused: f16 at line 4

enable f16;
@group(0) @binding(0) var<storage, read> data: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f16>>;

@compute @workgroup_size(1)
fn main() {
    out[0] = vec4(data[0], data[1], data[2], data[3]);
}
