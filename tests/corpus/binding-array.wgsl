// refused: binding arrays at line 5

enable wgpu_binding_array;
struct Part { n: u32 }
@group(0) @binding(0) var<storage> parts: binding_array<Part, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = parts[1].n;
}
