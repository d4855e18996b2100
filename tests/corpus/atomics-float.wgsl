// refused: atomics at line 7

@group(0) @binding(0) var<storage, read_write> out: array<atomic<f32>>;

@compute @workgroup_size(1)
fn main() {
    atomicAdd(&out[0], 5.0);
}
