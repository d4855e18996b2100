// refused: too large at line 9

struct Much { a: array<u32, 100000000> }
@group(0) @binding(0) var<storage, read> much: array<Much>;
@group(0) @binding(1) var<storage, read_write> more: array<Much>;

@compute @workgroup_size(1)
fn main() {
    more[0] = much[0];
}
