// refused: too large at line 8

var<workgroup> much: array<u32, 100000>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let a = workgroupUniformLoad(&much);
    out[0] = a[5];
}
