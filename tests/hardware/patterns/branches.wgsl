// Lanes of one warp that part: each arm's accesses are made by its own lanes.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;

// Even lanes store one array's elements, odd lanes another's doubled.
@compute @workgroup_size(128)
fn two_arms(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i % 2u == 0u) {
        dst[i] = a[i];
    } else {
        dst[i + 4096u] = b[i * 2u] * 3u;
    }
}

@compute @workgroup_size(128)
fn nested(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i % 2u == 0u) {
        if (i % 3u == 0u) {
            dst[i] = a[i * 3u];
        } else {
            dst[i + 4096u] = b[i * 5u] + 1u;
        }
    } else if (i % 7u == 0u) {
        dst[i] = b[i] + 2u;
    }
}

// The last warps leave early, one of them half.
@compute @workgroup_size(128)
fn early_return(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= 4000u - 16u) {
        return;
    }
    dst[id.x] = a[id.x] + 1u;
}

// Each lane takes as many turns as its number says, so that fewer and fewer are left.
@compute @workgroup_size(128)
fn own_turns(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var k = 0u; k < id.x % 11u; k++) {
        sum += a[id.x + k * 256u];
    }
    dst[id.x] = sum;
}

// A switch with as many ways as make warps part into groups of 10, 11 and 11 lanes.
@compute @workgroup_size(128)
fn three_ways(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    switch i % 3u {
        case 0u: {
            dst[i] = a[i];
        }
        case 1u: {
            dst[i + 4096u] = b[i * 4u] + 1u;
        }
        default: {
            dst[i] = a[0] + i;
        }
    }
}
