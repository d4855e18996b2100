// The parts of a checkpoint. After the first part of a training
// its state goes to the file. After the second part the weights
// are what they should be. Each later part begins from the file,
// of which something is left out: nothing, m, v, the count of
// updates, or all three. `gap` is how far its weights are from
// what they should be, as a share of the way they went.
// One workgroup goes through all weights.
// #include "sum_lanes.wgsl"

override N: u32 = 1024;
override BLOCK: u32 = 256;

@group(0) @binding(0) var<storage, read> part: array<u32>;
@group(0) @binding(1)
var<storage, read_write> weights: array<f32>;
@group(0) @binding(2) var<storage, read_write> m: array<f32>;
@group(0) @binding(3) var<storage, read_write> v: array<f32>;
@group(0) @binding(4)
var<storage, read_write> updates: array<u32>;
@group(0) @binding(5)
var<storage, read_write> file: array<f32>;
@group(0) @binding(6)
var<storage, read_write> whole: array<f32>;
@group(0) @binding(7)
var<storage, read_write> gap: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(local_invocation_index) lane: u32) {
    let p = part[0];
    if (p == 0) {
        for (var i = lane; i < N; i += BLOCK) {
            file[i] = weights[i];
            file[N + i] = m[i];
            file[2 * N + i] = v[i];
        }
        if (lane == 0) {
            file[3 * N] = f32(updates[0]);
        }
        return;
    }
    if (p == 1) {
        for (var i = lane; i < N; i += BLOCK) {
            whole[i] = weights[i];
        }
    } else {
        var off = 0.0;
        var way = 0.0;
        for (var i = lane; i < N; i += BLOCK) {
            off += abs(weights[i] - whole[i]);
            way += abs(whole[i] - file[i]);
        }
        off = sum_lanes(lane, off);
        way = sum_lanes(lane, way);
        if (lane == 0) {
            gap[p - 2] = off / max(way, 1e-30);
        }
    }
    // The next part begins.
    let no_m = p == 2 || p == 5;
    let no_v = p == 3 || p == 5;
    let no_count = p == 4 || p == 5;
    for (var i = lane; i < N; i += BLOCK) {
        weights[i] = file[i];
        m[i] = select(file[N + i], 0.0, no_m);
        v[i] = select(file[2 * N + i], 0.0, no_v);
    }
    if (lane == 0) {
        updates[0] = select(u32(file[3 * N]), 0u, no_count);
    }
}
