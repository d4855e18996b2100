// 16 warps compute 128 x 128 elements of C, each of them 32 x 32 as four fragments. The result is right.
// Every product loads its two fragments anew, and rows of the tiles that are loaded together begin in the same banks.

enable f16;
enable wgpu_cooperative_matrix;

override M: u32 = 1024;    // rows of A and C, a multiple of 128
override N: u32 = 1024;    // columns of B and C, too
override K: u32 = 1024;    // columns of A, rows of B, a multiple of 32

const LANES = 512u;
const A_ROW = 32u / 4;     // vectors from a row of A's tile, 128 x 32, to the next
const B_ROW = 128u / 4;    // and of B's, 32 x 128

@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<vec4<f16>, 128 * A_ROW>;
var<workgroup> tile_b: array<vec4<f16>, 32 * B_ROW>;

alias OfA = coop_mat16x16<f16, A>;
alias OfB = coop_mat16x16<f16, B>;
alias OfC = coop_mat16x16<f32, C>;

// The fragment that begins at a row and a column of a tile.
fn of_a(row: u32, k: u32) -> OfA { return coopLoadT<OfA>(&tile_a[row * A_ROW + k / 4], A_ROW); }
fn of_b(k: u32, column: u32) -> OfB { return coopLoadT<OfB>(&tile_b[k * B_ROW + column / 4], B_ROW); }

@compute @workgroup_size(LANES)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(subgroup_id) warp: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let top = group.y * 128;         // the workgroup's tile of C
    let left = group.x * 128;
    let row = warp / 4 * 32;         // the warp's square in it
    let column = warp % 4 * 32;

    var sum00: OfC; var sum01: OfC;
    var sum10: OfC; var sum11: OfC;
    for (var k0 = 0u; k0 < K; k0 += 32) {
        // 1,024 vectors of each tile, two for each lane.
        for (var v = lane; v < 1024; v += LANES) {
            tile_a[v / 8 * A_ROW + v % 8] = a[((top + v / 8) * K + k0) / 4 + v % 8];
            tile_b[v / 32 * B_ROW + v % 32] = b[((k0 + v / 32) * N + left) / 4 + v % 32];
        }
        workgroupBarrier();
        for (var k = 0u; k < 32; k += 16) {
            sum00 = coopMultiplyAdd(of_a(row, k), of_b(k, column), sum00);
            sum01 = coopMultiplyAdd(of_a(row, k), of_b(k, column + 16), sum01);
            sum10 = coopMultiplyAdd(of_a(row + 16, k), of_b(k, column), sum10);
            sum11 = coopMultiplyAdd(of_a(row + 16, k), of_b(k, column + 16), sum11);
        }
        workgroupBarrier();
    }

    let at = (top + row) * N + left + column;
    coopStoreT(sum00, &c[at], N);
    coopStoreT(sum01, &c[at + 16], N);
    coopStoreT(sum10, &c[at + 16 * N], N);
    coopStoreT(sum11, &c[at + 16 * N + 16], N);
}
