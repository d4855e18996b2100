// A band of eight squares at once: the fragment of A is loaded once, and each of B serves one product. 9 fragments for 8 products.

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
    let column = left;

    var sum00: OfC; var sum01: OfC; var sum02: OfC; var sum03: OfC; var sum04: OfC; var sum05: OfC; var sum06: OfC; var sum07: OfC;
    for (var k = 0u; k < K; k += 16) {
        let a0 = of_a(row, k);
        let b0 = of_b(k, column);
        let b1 = of_b(k, column + 16);
        let b2 = of_b(k, column + 32);
        let b3 = of_b(k, column + 48);
        let b4 = of_b(k, column + 64);
        let b5 = of_b(k, column + 80);
        let b6 = of_b(k, column + 96);
        let b7 = of_b(k, column + 112);
        sum00 = coopMultiplyAdd(a0, b0, sum00);
        sum01 = coopMultiplyAdd(a0, b1, sum01);
        sum02 = coopMultiplyAdd(a0, b2, sum02);
        sum03 = coopMultiplyAdd(a0, b3, sum03);
        sum04 = coopMultiplyAdd(a0, b4, sum04);
        sum05 = coopMultiplyAdd(a0, b5, sum05);
        sum06 = coopMultiplyAdd(a0, b6, sum06);
        sum07 = coopMultiplyAdd(a0, b7, sum07);
    }
    let at = row * N + column;
    coopStoreT(sum00, &c[at], N);
    coopStoreT(sum01, &c[at + 16], N);
    coopStoreT(sum02, &c[at + 32], N);
    coopStoreT(sum03, &c[at + 48], N);
    coopStoreT(sum04, &c[at + 64], N);
    coopStoreT(sum05, &c[at + 80], N);
    coopStoreT(sum06, &c[at + 96], N);
    coopStoreT(sum07, &c[at + 112], N);
}
