// Adds up what a token's experts gave, where choices may have
// been dropped. A dropped choice has no row in its expert's
// bucket, and adds nothing. A lane computes one element of y.

override T: u32 = 1024;  // tokens
override K: u32 = 2;     // experts that a token goes to
override D: u32 = 64;    // columns of y
const NOWHERE = 0xffffffffu;  // the slot of a dropped choice

@group(0) @binding(0) var<storage, read> rows: array<f32>;
@group(0) @binding(1) var<storage, read> slot_of: array<u32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = gid.x + gid.y * groups.x * 256u;
    if (i >= T * D) {
        return;
    }
    let token = i / D;
    var sum = 0.0;
    for (var place = 0u; place < K; place++) {
        let choice = token * K + place;
        let slot = slot_of[choice];
        if (slot != NOWHERE) {
            sum += weight[choice] * rows[slot * D + i % D];
        }
    }
    y[i] = sum;
}
