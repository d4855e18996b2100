// runs
// out[0..] = 0 1 2 3 4 6 0 2

enable f16;
@group(0) @binding(0) var<storage, read> data: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f16>>;

@compute @workgroup_size(1)
fn main() {
    let v = vec4(data[0], data[1], data[2], data[3]);
    out[0] = v;
    out[1] = v.zwxy * 2.0h;
}
