// C = A·B through 32x32 tiles in workgroup memory.
override n: u32 = 512;
const TILE = 32u;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<f32, TILE * TILE>;
var<workgroup> tile_b: array<f32, TILE * TILE>;

@compute @workgroup_size(32, 32)
fn tiled(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let row = group.y * TILE + local.y;
    let col = group.x * TILE + local.x;
    var sum = 0.0;
    for (var t = 0u; t < n; t += TILE) {
        tile_a[local.y * TILE + local.x] = a[row * n + t + local.x];
        tile_b[local.y * TILE + local.x] = b[(t + local.y) * n + col];
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) {
            sum += tile_a[local.y * TILE + k] * tile_b[k * TILE + local.x];
        }
        workgroupBarrier();
    }
    c[row * n + col] = sum;
}
