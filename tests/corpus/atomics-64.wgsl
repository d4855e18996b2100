// refused: 64-bit at line 3

@group(0) @binding(0) var<storage, read_write> out: array<atomic<u64>>;

@compute @workgroup_size(1)
fn main() {
    atomicMax(&out[0], 5lu);
}
