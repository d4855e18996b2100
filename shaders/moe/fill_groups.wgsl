// Buckets for each group of tokens: a group is GROUP_BLOCKS
// blocks of 256 choices, and its choices compete with each
// other alone. Each group has SLOTS rows in each expert.
// `row_of` and `starts` are those of `place_stable`.

override N: u32 = 2048;           // choices: tokens times K
override E: u32 = 8;              // experts
override BLOCKS: u32 = 8;         // N / 256, rounded up
override GROUP_BLOCKS: u32 = 2;   // blocks of a group
override SLOTS: u32 = 64;         // rows of a group's bucket
const NOWHERE = 0xffffffffu;

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> row_of: array<u32>;
@group(0) @binding(3)
var<storage, read_write> slot_of: array<u32>;
@group(0) @binding(4)
var<storage, read_write> dropped: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    let expert = chosen[i];
    let group = i / (256u * GROUP_BLOCKS);
    // The expert's first row from this group.
    let first = starts[expert * BLOCKS + group * GROUP_BLOCKS];
    let place = row_of[i] - first;
    let fits = place < SLOTS;
    let bucket = group * E + expert;
    slot_of[i] = select(NOWHERE, bucket * SLOTS + place, fits);
    dropped[i] = select(1u, 0u, fits);
}
