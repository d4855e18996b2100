override RANKS: u32 = 1;
override ROW: u32 = 1;

@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= ROW) {
        return;
    }
    var sum = 0.0;
    for (var rank = 0u; rank < RANKS; rank++) {
        sum += y[rank * ROW + gid.x];
    }
    for (var rank = 0u; rank < RANKS; rank++) {
        y[rank * ROW + gid.x] = sum;
    }
}
