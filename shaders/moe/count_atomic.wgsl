// How many rows each expert gets. A lane takes one choice, and
// adds 1 to its expert's counter in global memory.

override N: u32 = 2048;  // choices: tokens times K
override E: u32 = 8;     // experts

@group(0) @binding(0) var<storage, read> chosen: array<u32>;
@group(0) @binding(1)
var<storage, read_write> counts: array<atomic<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i < N) {
        let expert = chosen[i];
        atomicAdd(&counts[expert], 1u);
    }
}
