// Sums and running sums of 128 elements a workgroup, in workgroup memory.
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

const LANES = 128u;

var<workgroup> s: array<u32, 256>;

// Every second lane adds its neighbour, then every fourth, and so on: few lanes of all warps.
@compute @workgroup_size(LANES)
fn interleaved(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    s[lane] = src[id.x];
    workgroupBarrier();
    for (var step = 1u; step < LANES; step *= 2u) {
        if (lane % (2u * step) == 0u) {
            s[lane] += s[lane + step];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        dst[id.x / LANES] = s[0];
    }
}

// The same sums by the first lanes: whole warps, but their elements stand apart.
@compute @workgroup_size(LANES)
fn first_lanes(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    s[lane] = src[id.x];
    workgroupBarrier();
    for (var step = 1u; step < LANES; step *= 2u) {
        let at = 2u * step * lane;
        if (at < LANES) {
            s[at] += s[at + step];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        dst[id.x / LANES] = s[0];
    }
}

// The upper half is added to the lower half, and again.
@compute @workgroup_size(LANES)
fn halves(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    s[lane] = src[id.x];
    workgroupBarrier();
    for (var step = LANES / 2u; step > 0u; step /= 2u) {
        if (lane < step) {
            s[lane] += s[lane + step];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        dst[id.x / LANES] = s[0];
    }
}

// Running sums in log2(128) rounds, from one half of the memory to the other and back.
@compute @workgroup_size(LANES)
fn scan(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var now = 0u;
    s[lane] = src[id.x];
    workgroupBarrier();
    for (var step = 1u; step < LANES; step *= 2u) {
        let next = LANES - now;
        if (lane >= step) {
            s[next + lane] = s[now + lane] + s[now + lane - step];
        } else {
            s[next + lane] = s[now + lane];
        }
        now = next;
        workgroupBarrier();
    }
    dst[id.x] = s[now + lane];
}

// Running sums without the own element, up a tree and down again.
@compute @workgroup_size(LANES)
fn up_and_down(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    s[lane] = src[id.x];
    for (var step = 1u; step < LANES; step *= 2u) {
        workgroupBarrier();
        let at = 2u * step * (lane + 1u) - 1u;
        if (at < LANES) {
            s[at] += s[at - step];
        }
    }
    workgroupBarrier();
    if (lane == 0u) {
        s[LANES - 1u] = 0u;
    }
    for (var step = LANES / 2u; step > 0u; step /= 2u) {
        workgroupBarrier();
        let at = 2u * step * (lane + 1u) - 1u;
        if (at < LANES) {
            let left = s[at - step];
            let sum = s[at];
            s[at - step] = sum;
            s[at] = sum + left;
        }
    }
    workgroupBarrier();
    dst[id.x] = s[lane];
}

// Seven neighbours a lane, from a row with a margin of 3 on either side.
@compute @workgroup_size(LANES)
fn margins(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let first = group.x * LANES;
    s[lane] = src[first + lane];
    if (lane < 6u) {
        s[LANES + lane] = src[first + LANES + lane];
    }
    workgroupBarrier();
    var sum = 0u;
    for (var k = 0u; k < 7u; k++) {
        sum += s[lane + k] * (k + 1u);
    }
    dst[first + lane] = sum;
}
