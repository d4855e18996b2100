// Whether the parameters of another layer are to be gathered
// now, and of which one: at most AHEAD layers before the one
// that is computed. If none is due, the grids of the passes
// that gather become empty.

override LAYERS: u32 = 2;
override AHEAD: u32 = 0;
// 1 on the way forward; 4294967295, which is -1, on the way back.
override ADD: u32 = 1;

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1)
var<storage, read_write> next: array<u32>;
@group(0) @binding(2)
var<storage, read_write> plan: array<u32>;

@compute @workgroup_size(1)
fn main() {
    let wanted = next[0] + ADD;
    // Before the first layer the number wraps around.
    let is_due = wanted < LAYERS
        && (wanted - layer[0]) * ADD <= AHEAD;
    if (is_due) {
        next[0] = wanted;
    }
    // The first three grids of the plan, or nothing.
    for (var i = 0u; i < 9; i++) {
        var size = 0u;
        if (is_due) {
            size = plan[i];
        }
        plan[21 + i] = size;
    }
}
