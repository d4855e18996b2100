// The new text replaces the old one, and has its length.

override BLOCKS: u32 = 16;  // blocks of 256 tokens at first

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1)
var<storage, read> new_ids: array<u32>;
@group(0) @binding(2)
var<storage, read> new_offset: array<u32>;
@group(0) @binding(3) var<storage, read_write> ids: array<u32>;
@group(0) @binding(4)
var<storage, read_write> offset: array<u32>;
@group(0) @binding(5)
var<storage, read_write> length: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let tokens = starts[BLOCKS];
    if (i < tokens) {
        ids[i] = new_ids[i];
    }
    if (i <= tokens) {
        offset[i] = new_offset[i];
    }
    if (i == 0u) {
        length[0] = tokens;
    }
}
