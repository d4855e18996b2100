// Softmax backward of vectors: against single elements, a lane
// loads and stores four neighbours at once.
// A quarter of the requests move the same bytes. COLS is a
// multiple of 4, so rows begin at multiples of 16 bytes.
// #include "workgroup_sum.wgsl"

enable subgroups;

override ROWS: u32 = 128;   // rows of y, dy and dx
override COLS: u32 = 512;   // columns of y, dy and dx
override BLOCK: u32 = 128;  // workgroup size, a power of 2

@group(0) @binding(0) var<storage, read> y: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> dy: array<vec4<f32>>;
@group(0) @binding(2)
var<storage, read_write> dx: array<vec4<f32>>;

@compute @workgroup_size(BLOCK)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    lane: SubgroupLane,
) {
    let row = group.x + group.y * groups.x;
    if (row >= ROWS) {
        return;
    }
    let start = row * COLS / 4u;
    let end = start + COLS / 4u;
    var dot_y_dy = 0.0;
    for (var i = start + local; i < end; i += BLOCK) {
        dot_y_dy += dot(y[i], dy[i]);
    }
    dot_y_dy = workgroup_sum(lane, dot_y_dy);

    for (var i = start + local; i < end; i += BLOCK) {
        dx[i] = y[i] * (dy[i] - dot_y_dy);
    }
}
