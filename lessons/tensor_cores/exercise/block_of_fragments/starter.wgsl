// 8 warps compute 128 x 128 elements of C. Each has eight squares of 16 x 16, and computes one after the other.
// Each product loads two fragments. Load fewer, and use each for several products.

enable f16;
enable wgpu_cooperative_matrix;

override M: u32 = 1024;    // rows of A and C, a multiple of 128
override N: u32 = 1024;    // columns of B and C, too
override K: u32 = 1024;    // columns of A, rows of B, a multiple of 16

const LANES = 256u;      // 8 warps

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

alias OfA = coop_mat16x16<f16, A>;
alias OfB = coop_mat16x16<f16, B>;
alias OfC = coop_mat16x16<f32, C>;

// The fragment that begins at a row and a column of a matrix.
fn of_a(row: u32, k: u32) -> OfA { return coopLoadT<OfA>(&a[row * K + k], K); }
fn of_b(k: u32, column: u32) -> OfB { return coopLoadT<OfB>(&b[k * N + column], N); }

@compute @workgroup_size(LANES)
fn main(@builtin(subgroup_id) warp: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let top = group.y * 128;         // the workgroup's tile of C
    let left = group.x * 128;
    let row = top + warp * 16;       // the warp's band of it, eight squares
    for (var square = 0u; square < 8; square++) {
        let column = left + square * 16;
        var sum: OfC;
        for (var k = 0u; k < K; k += 16) {
            sum = coopMultiplyAdd(of_a(row, k), of_b(k, column), sum);
        }
        coopStoreT(sum, &c[row * N + column], N);
    }
}
