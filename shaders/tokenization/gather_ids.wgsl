// The tokens move together, in their order. `starts` says where
// a block of 256 bytes goes, a scan within the block where each
// of its tokens does.
// #include "scan_block.wgsl"

override N: u32 = 4096;     // bytes
override BLOCKS: u32 = 16;  // N / 256, rounded up
const NOTHING = 0xffffffffu;

@group(0) @binding(0) var<storage, read> ids: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2)
var<storage, read_write> encoded: array<u32>;
// At which byte each token begins.
@group(0) @binding(3)
var<storage, read_write> offset: array<u32>;
// How many tokens there are.
@group(0) @binding(4)
var<storage, read_write> length: array<u32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    var id = NOTHING;
    if (i < N) {
        id = ids[i];
    }
    let keep = select(1u, 0u, id == NOTHING);
    let kept = scan_block(lane, keep);
    if (id != NOTHING) {
        let to = starts[group.x] + kept - 1u;
        encoded[to] = id;
        offset[to] = i;
    }
    if (i == 0u) {
        offset[starts[BLOCKS]] = N;
        length[0] = starts[BLOCKS];
    }
}
