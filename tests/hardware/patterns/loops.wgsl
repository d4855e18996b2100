// Loops whose indices go on from turn to turn.
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

const LANES = 4096u;

// Each lane takes every 4096th element.
@compute @workgroup_size(128)
fn grid_stride(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = id.x; i < 4u * LANES; i += LANES) {
        dst[i] = src[i] + 1u;
    }
}

// The next index follows from the last one.
@compute @workgroup_size(128)
fn carried(@builtin(global_invocation_id) id: vec3<u32>) {
    var at = id.x;
    var sum = 0u;
    for (var turn = 0u; turn < 8u; turn++) {
        sum += src[at];
        at = (at * 5u + 3u) % LANES;
    }
    dst[id.x] = sum;
}

// The next index follows from what was loaded.
@compute @workgroup_size(128)
fn chased(@builtin(global_invocation_id) id: vec3<u32>) {
    var at = id.x;
    for (var turn = 0u; turn < 8u; turn++) {
        at = (src[at] * 5u + 3u) % LANES;
    }
    dst[id.x] = at;
}

// A lane for each row of a matrix of 4096 x 16.
@compute @workgroup_size(128)
fn row_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var k = 0u; k < 16u; k++) {
        sum += src[id.x * 16u + k];
    }
    dst[id.x] = sum;
}

// A lane for each column of a matrix of 16 x 4096.
@compute @workgroup_size(128)
fn column_sums(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var k = 0u; k < 16u; k++) {
        sum += src[k * LANES + id.x];
    }
    dst[id.x] = sum;
}

// Seven neighbouring elements a lane.
@compute @workgroup_size(128)
fn window(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var k = 0u; k < 7u; k++) {
        sum += src[id.x + k] * (k + 1u);
    }
    dst[id.x] = sum;
}
