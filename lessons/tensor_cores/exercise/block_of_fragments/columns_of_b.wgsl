// Blocks of 2 x 4 squares. B is taken for a matrix that lies by columns.

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
fn of_b(k: u32, column: u32) -> OfB { return coopLoad<OfB>(&b[k * N + column], N); }

@compute @workgroup_size(LANES)
fn main(@builtin(subgroup_id) warp: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let top = group.y * 128;         // the workgroup's tile of C
    let left = group.x * 128;
    let row = top + warp / 2 * 32;   // the warp's block of it: 2 squares down, 4 across
    let column = left + warp % 2 * 64;

    var sum00: OfC; var sum01: OfC; var sum02: OfC; var sum03: OfC;
    var sum10: OfC; var sum11: OfC; var sum12: OfC; var sum13: OfC;
    for (var k = 0u; k < K; k += 16) {
        let a0 = of_a(row, k);
        let a1 = of_a(row + 16, k);
        let b0 = of_b(k, column);
        let b1 = of_b(k, column + 16);
        let b2 = of_b(k, column + 32);
        let b3 = of_b(k, column + 48);
        sum00 = coopMultiplyAdd(a0, b0, sum00);
        sum01 = coopMultiplyAdd(a0, b1, sum01);
        sum02 = coopMultiplyAdd(a0, b2, sum02);
        sum03 = coopMultiplyAdd(a0, b3, sum03);
        sum10 = coopMultiplyAdd(a1, b0, sum10);
        sum11 = coopMultiplyAdd(a1, b1, sum11);
        sum12 = coopMultiplyAdd(a1, b2, sum12);
        sum13 = coopMultiplyAdd(a1, b3, sum13);
    }
    let at = row * N + column;
    coopStoreT(sum00, &c[at], N);
    coopStoreT(sum01, &c[at + 16], N);
    coopStoreT(sum02, &c[at + 32], N);
    coopStoreT(sum03, &c[at + 48], N);
    coopStoreT(sum10, &c[at + 16 * N], N);
    coopStoreT(sum11, &c[at + 16 * N + 16], N);
    coopStoreT(sum12, &c[at + 16 * N + 32], N);
    coopStoreT(sum13, &c[at + 16 * N + 48], N);
}
