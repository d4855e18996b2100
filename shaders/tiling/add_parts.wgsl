// Adds up the parts of C that `split_k` stored: SPLIT matrices,
// one after the other. A lane computes one element of C.

override M: u32 = 16;      // rows of C
override N: u32 = 1024;    // columns of C
override SPLIT: u32 = 16;  // parts

@group(0) @binding(0) var<storage, read> parts: array<f32>;
@group(0) @binding(1) var<storage, read_write> c: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    let column = id.x;
    if (column < N) {
        var sum = 0.0;
        for (var part = 0u; part < SPLIT; part++) {
            sum += parts[(part * M + row) * N + column];
        }
        c[row * N + column] = sum;
    }
}
