// rejected: const_assert at line 6

const n = 3;
@compute @workgroup_size(1)
fn main() {
    const_assert n == 4;
}
