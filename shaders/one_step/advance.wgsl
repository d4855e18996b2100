// A counter goes on: the layer, or the number of updates.
// ADD = 4294967295 takes 1 away.

override ADD: u32 = 1;

@group(0) @binding(0)
var<storage, read_write> counter: array<u32>;

@compute @workgroup_size(1)
fn main() {
    counter[0] += ADD;
}
