// Against rows without a limit: every expert has a bucket of
// SLOTS rows, whatever is chosen. A choice that finds its
// bucket full is dropped: its token skips this expert.
// `row_of` and `starts` are those of `place_stable`: within an
// expert, the first tokens come first.

override N: u32 = 2048;      // choices: tokens times K
override BLOCKS: u32 = 8;    // N / 256, rounded up
override SLOTS: u32 = 320;   // rows of a bucket
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
    let place = row_of[i] - starts[expert * BLOCKS];
    let fits = place < SLOTS;
    slot_of[i] = select(NOWHERE, expert * SLOTS + place, fits);
    dropped[i] = select(1u, 0u, fits);
}
