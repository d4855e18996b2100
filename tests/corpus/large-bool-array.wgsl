// refused: too large at line 3

var<workgroup> a: array<bool, 1073741825>;

@compute @workgroup_size(1)
fn main() {
    a[0] = true;
}
