// C = A B: A has M rows of K, B has K rows of N.
// Forward: a row of activations times a matrix of weights.
// #include "tile.wgsl"

override M: u32 = 16;      // rows of C
override N: u32 = 16;      // columns of C
override K: u32 = 16;      // products that are summed
// Where each begins, elements of a layer, layers that there are.
override A_AT: u32 = 0;
override A_EACH: u32 = 0;
override A_HELD: u32 = 1;
override B_AT: u32 = 0;
override B_EACH: u32 = 0;
override B_HELD: u32 = 1;
override C_AT: u32 = 0;
override C_EACH: u32 = 0;
override C_HELD: u32 = 1;
// Rows and columns of C that a lane has.
const PER: u32 = 1;

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

// Neighbouring lanes load neighbours in memory.
fn fill(row0: u32, column0: u32, k0: u32, lane: u32) {
    let a_at = begin(A_AT, A_EACH, A_HELD);
    let b_at = begin(B_AT, B_EACH, B_HELD);
    for (var e = lane; e < 16 * SIDE; e += 256) {
        let a_k = k0 + e % 16;
        let a_row = row0 + e / 16;
        var a_value = 0.0;
        if (a_k < K && a_row < M) {
            a_value = a[a_at + a_row * K + a_k];
        }
        tile_a[e % 16][e / 16] = a_value;
        let b_k = k0 + e / SIDE;
        let b_column = column0 + e % SIDE;
        var b_value = 0.0;
        if (b_k < K && b_column < N) {
            b_value = b[b_at + b_k * N + b_column];
        }
        tile_b[e / SIDE][e % SIDE] = b_value;
    }
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    multiply(group, lane);
}
