// Copy with ballast: a workgroup holds WORDS words of workgroup
// memory that it does not need, so that fewer workgroups fit on
// an SM. A lane has one load of 4 bytes on its way at a time.

override N: u32 = 1048576;    // elements
override WORDS: u32 = 64;     // ballast, BLOCK words at least

const BLOCK = 64u;     // workgroup size
const CHUNK = 4096u;   // elements that a workgroup copies

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

var<workgroup> ballast: array<u32, WORDS>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    var lane = local;
    // Never so: the grid has one layer. No compiler knows that,
    // so it keeps the ballast.
    if (groups.z > 1u) {
        let apart = WORDS / BLOCK;
        ballast[lane * apart] = lane;
        workgroupBarrier();
        lane = ballast[(BLOCK - 1u - lane) * apart];
    }
    let first = (group.x + group.y * groups.x) * CHUNK;
    let end = min(first + CHUNK, N);
    for (var i = first + lane; i < end; i += BLOCK) {
        dst[i] = src[i];
    }
}
