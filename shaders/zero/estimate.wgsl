// How long a step takes, as a model: what a GPU computes, and
// what it waits for others. A bar for each stage, in seconds:
// first one after the other, then with transfers behind the
// arithmetic. What cannot be hidden is the first transfer, and
// what is longer than the arithmetic.
// A lane has one stage.

override COMPUTE: f32 = 1.0;   // seconds of arithmetic
override TRANSFER: f32 = 0.5;  // seconds for 2 bytes a parameter
override BUCKETS: f32 = 8.0;   // transfers that it is cut into

@group(0) @binding(0)
var<storage, read_write> in_turn: array<f32>;
@group(0) @binding(1)
var<storage, read_write> overlapped: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) stage: u32) {
    let moved = TRANSFER * select(2.0, 3.0, stage == 3);
    in_turn[2 * stage] = COMPUTE;
    in_turn[2 * stage + 1] = moved;
    let first = moved / BUCKETS;
    overlapped[2 * stage] = COMPUTE;
    overlapped[2 * stage + 1] = max(first, moved - COMPUTE);
}
