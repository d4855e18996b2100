// runs
// out[0..] = 300

requires packed_4x8_integer_dot_product;
requires readonly_and_readwrite_storage_textures, pointer_composite_access;

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = dot4U8Packed(0x0A0A0A00u, 0x0A0A0A00u);
}
