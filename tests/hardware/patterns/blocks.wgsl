// Blocks of two dimensions on a matrix of 64 x 64: which index x stands for decides what a warp's lanes have in common.
override BX: u32 = 16;
override BY: u32 = 16;

@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

const WIDTH = 64u;

@compute @workgroup_size(BX, BY)
fn x_is_column(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.y * WIDTH + id.x] = src[id.y * WIDTH + id.x];
}

@compute @workgroup_size(BX, BY)
fn x_is_row(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x * WIDTH + id.y] = src[id.x * WIDTH + id.y];
}

// Loads go along rows, stores along columns.
@compute @workgroup_size(BX, BY)
fn transposed(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x * WIDTH + id.y] = src[id.y * WIDTH + id.x];
}

// An element and its four neighbours; those beyond the edge are left out.
@compute @workgroup_size(BX, BY)
fn five_points(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = id.y * WIDTH + id.x;
    var sum = src[at];
    if (id.x > 0u) {
        sum += src[at - 1u];
    }
    if (id.x < WIDTH - 1u) {
        sum += src[at + 1u];
    }
    if (id.y > 0u) {
        sum += src[at - WIDTH];
    }
    if (id.y < WIDTH - 1u) {
        sum += src[at + WIDTH];
    }
    dst[at] = sum;
}
