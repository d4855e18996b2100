// As many workgroups as the list needs.
@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read_write> groups: array<u32>;

@compute @workgroup_size(1)
fn main() {
    groups[0] = (found[0] + 63u) / 64u;
    groups[1] = 1u;
    groups[2] = 1u;
}
