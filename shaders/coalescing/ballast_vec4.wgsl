// Copy with ballast, in vectors of four: against `ballast`, a
// lane has PER_LANE loads of 16 bytes on their way at a time.

// Vectors of four elements, a multiple of BLOCK * PER_LANE.
override N: u32 = 262144;
override WORDS: u32 = 64;     // ballast, BLOCK words at least
// Vectors that a lane loads before it stores the first: 1 or 4.
const PER_LANE: u32 = 1;

const BLOCK = 64u;     // workgroup size
const CHUNK = 1024u;   // vectors that a workgroup copies

@group(0) @binding(0) var<storage, read> src: array<vec4<f32>>;
@group(0) @binding(1)
var<storage, read_write> dst: array<vec4<f32>>;

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
    let turn = BLOCK * PER_LANE;
    for (var i = first + lane; i < end; i += turn) {
        var values: array<vec4<f32>, PER_LANE>;
        for (var k = 0u; k < PER_LANE; k++) {
            values[k] = src[i + k * BLOCK];
        }
        for (var k = 0u; k < PER_LANE; k++) {
            dst[i + k * BLOCK] = values[k];
        }
    }
}
