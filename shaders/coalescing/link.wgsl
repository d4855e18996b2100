// The chain that the chases follow. The working set consists of
// lines of 128 bytes. Each element of a line holds the index at
// which the next line of the chain begins: JUMP lines further
// on, or as many from the front where the set ends before that.
// A lane writes four elements.

override NODES: u32 = 512;    // lines of the working set
override JUMP: u32 = 317;     // lines from one to the next
override BLOCK: u32 = 256;    // workgroup size

const LINE = 32u;             // elements of a line

@group(0) @binding(0)
var<storage, read_write> next: array<vec4<u32>>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * (groups.x * BLOCK);
    let line = i / (LINE / 4u);
    if (line < NODES) {
        next[i] = vec4<u32>((line + JUMP) % NODES * LINE);
    }
}
