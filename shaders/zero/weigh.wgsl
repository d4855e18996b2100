// The ledger's entry of one tensor: how many bytes of it belong
// to a rank. It asks the buffer itself how long it is.
// y is the rank.

override RANKS: u32 = 4;
override COLUMN: u32 = 0;   // of the ledger
override COUNT: u32 = 256;  // for CUDA C++ only, see there

@group(0) @binding(0) var<storage, read> tensor: array<f32>;
@group(0) @binding(1)
var<storage, read_write> ledger: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if (group.x > 0) {
        return;
    }
    ledger[group.y * 8 + COLUMN] +=
        4 * arrayLength(&tensor) / RANKS;
}
