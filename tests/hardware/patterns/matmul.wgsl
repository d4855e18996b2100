// C = A·B of 64 x 64: directly, and through tiles of TILE x TILE in workgroup memory.
override TILE: u32 = 16;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<u32>;

const N = 64u;

var<workgroup> tile_a: array<u32, 1024>;
var<workgroup> tile_b: array<u32, 1024>;

fn element(row: u32, col: u32) {
    var sum = 0u;
    for (var k = 0u; k < N; k++) {
        sum += a[row * N + k] * b[k * N + col];
    }
    c[row * N + col] = sum;
}

@compute @workgroup_size(TILE, TILE)
fn x_is_column(@builtin(global_invocation_id) id: vec3<u32>) {
    element(id.y, id.x);
}

@compute @workgroup_size(TILE, TILE)
fn x_is_row(@builtin(global_invocation_id) id: vec3<u32>) {
    element(id.x, id.y);
}

@compute @workgroup_size(TILE, TILE)
fn tiled(@builtin(local_invocation_id) local: vec3<u32>, @builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var t = 0u; t < N; t += TILE) {
        tile_a[local.y * TILE + local.x] = a[id.y * N + t + local.x];
        tile_b[local.y * TILE + local.x] = b[(t + local.y) * N + id.x];
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) {
            sum += tile_a[local.y * TILE + k] * tile_b[k * TILE + local.x];
        }
        workgroupBarrier();
    }
    c[id.y * N + id.x] = sum;
}
