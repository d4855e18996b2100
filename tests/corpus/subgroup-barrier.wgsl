// refused: subgroup operations at line 5

@compute @workgroup_size(64)
fn main() {
    subgroupBarrier();
}
