// Which row each choice gets. A lane takes one choice, and the
// next row that its expert has left: `next` starts as a copy of
// `starts`. Who comes first is first, so the order within an
// expert can differ from run to run.

override N: u32 = 2048;  // choices: tokens times K

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1)
var<storage, read_write> next: array<atomic<u32>>;
@group(0) @binding(2)
var<storage, read_write> row_of: array<u32>;
@group(0) @binding(3)
var<storage, read_write> source: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= N) {
        return;
    }
    let row = atomicAdd(&next[chosen[i]], 1u);
    row_of[i] = row;
    source[row] = i;
}
