// A counter goes on: the ring's step, the layer, or the number
// of updates. ADD = 4294967295 takes 1 away. In a ring it has
// the grid of the pass before, which is empty if a stage does
// not have that ring; the first workgroup counts.

override ADD: u32 = 1;

@group(0) @binding(0)
var<storage, read_write> counter: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if (group.x + group.y + group.z == 0) {
        counter[0] += ADD;
    }
}
