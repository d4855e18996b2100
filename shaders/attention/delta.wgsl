// D of each query: the product of its row of o with that row's
// gradient. 32 lanes have a row, and meet in a tree.

override SEQ: u32 = 64;    // queries of a head
override D: u32 = 32;      // numbers in a row

@group(0) @binding(0) var<storage, read> o: array<f32>;
@group(0) @binding(1) var<storage, read> d_o: array<f32>;
@group(0) @binding(2) var<storage, read_write> delta: array<f32>;

var<workgroup> part: array<array<f32, 32>, 4>;

@compute @workgroup_size(32, 4)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) lane: vec3<u32>,
) {
    let query = group.x * 4u + lane.y;
    let row = group.y * SEQ + query;
    var sum = 0.0;
    if (query < SEQ) {
        for (var c = lane.x; c < D; c += 32u) {
            sum += o[row * D + c] * d_o[row * D + c];
        }
    }
    part[lane.y][lane.x] = sum;
    for (var half = 16u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (lane.x < half) {
            part[lane.y][lane.x] += part[lane.y][lane.x + half];
        }
    }
    if (lane.x == 0u && query < SEQ) {
        delta[row] = part[lane.y][0];
    }
}
