// Which row each choice gets, in the order of the tokens.
// `starts` says where the rows begin that an expert gets from
// each block of 256 choices.

override N: u32 = 2048;    // choices: tokens times K
override BLOCKS: u32 = 8;  // N / 256, rounded up

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2)
var<storage, read_write> row_of: array<u32>;
@group(0) @binding(3)
var<storage, read_write> source: array<u32>;

var<workgroup> experts: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = gid.x;
    if (i < N) {
        experts[lane] = chosen[i];
    }
    workgroupBarrier();
    if (i >= N) {
        return;
    }
    let expert = experts[lane];
    var before = 0u;
    for (var j = 0u; j <= lane; j++) {
        before += select(0u, 1u, experts[j] == expert);
    }
    let row = starts[expert * BLOCKS + group.x] + before;
    row_of[i] = row;
    source[row] = i;
}
