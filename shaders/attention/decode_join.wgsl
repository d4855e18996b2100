// The chunks of a cache become one: each chunk's d and o are
// scaled to the greatest m, and added. A workgroup has a query
// head, and a lane every 64th column of its o.

override SPLITS: u32 = 4;  // chunks of a cache
override D: u32 = 32;      // numbers in a row

const MASKED = -1.0e38;

@group(0) @binding(0) var<storage, read> part_m: array<f32>;
@group(0) @binding(1) var<storage, read> part_d: array<f32>;
@group(0) @binding(2) var<storage, read> part_o: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@group(0) @binding(4) var<storage, read_write> lse: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let head = group.x;  // through the batch
    var m = MASKED;
    for (var s = 0u; s < SPLITS; s++) {
        m = max(m, part_m[head * SPLITS + s]);
    }
    var d = 0.0;
    for (var s = 0u; s < SPLITS; s++) {
        d += part_d[head * SPLITS + s] * exp(part_m[head * SPLITS + s] - m);
    }
    for (var c = lane; c < D; c += 64u) {
        var sum = 0.0;
        for (var s = 0u; s < SPLITS; s++) {
            let slot = head * SPLITS + s;
            sum += part_o[slot * D + c] * exp(part_m[slot] - m);
        }
        o[head * D + c] = sum / d;
    }
    if (lane == 0u) {
        lse[head] = m + log(d);
    }
}
