// The tokens that are kept move together, in their order; one
// that begins a merge becomes the new token. `starts` says
// where a block of 256 tokens goes, a scan within the block
// where each of them does.
// #include "scan_block.wgsl"

override N: u32 = 4096;     // bytes of the text
override BLOCKS: u32 = 16;  // N / 256, rounded up

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> offset: array<u32>;
@group(0) @binding(2) var<storage, read> begins: array<u32>;
@group(0) @binding(3) var<storage, read> length: array<u32>;
@group(0) @binding(4) var<storage, read> starts: array<u32>;
@group(0) @binding(5) var<storage, read> turn: array<u32>;
@group(0) @binding(6)
var<storage, read_write> new_ids: array<u32>;
@group(0) @binding(7)
var<storage, read_write> new_offset: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    var keep = 0u;
    if (i < length[0]) {
        keep = 1u;
        if (i > 0u) {
            keep = 1u - begins[i - 1u];
        }
    }
    let kept = scan_block(lane, keep);
    if (keep == 1u) {
        let to = starts[group.x] + kept - 1u;
        // The newest token is that of the last merge.
        let newest = 255u + turn[0];
        new_ids[to] = select(ids[i], newest, begins[i] == 1u);
        new_offset[to] = offset[i];
    }
    if (i == 0u) {
        // The end of the text, behind the last token.
        new_offset[starts[BLOCKS]] = N;
    }
}
