// C = A·B, one element a lane: which index x stands for decides what a warp's loads have in common.
override n: u32 = 512;

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

fn element(row: u32, col: u32) {
    var sum = 0.0;
    for (var k = 0u; k < n; k++) {
        sum += a[row * n + k] * b[k * n + col];
    }
    c[row * n + col] = sum;
}

@compute @workgroup_size(16, 16)
fn x_is_column(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= n || id.y >= n) {
        return;
    }
    element(id.y, id.x);
}

@compute @workgroup_size(16, 16)
fn x_is_row(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= n || id.y >= n) {
        return;
    }
    element(id.x, id.y);
}
