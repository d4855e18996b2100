// 32 lanes together compute 16 x 16 elements of C: for each 16 of k, they load a fragment of A and one of B, and multiply them at once.
// The factors come straight from global memory, without tiles and barriers. They are f16, sums f32.

enable f16;
enable wgpu_cooperative_matrix;

override N: u32 = 1024;    // columns of B and C, a multiple of 16
override K: u32 = 1024;    // columns of A, rows of B, another

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;

// Fragments: their elements are spread over the registers of 32 lanes.
alias OfA = coop_mat16x16<f16, A>;
alias OfB = coop_mat16x16<f16, B>;
alias OfC = coop_mat16x16<f32, C>;

@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    let row = group.y * 16;
    let column = group.x * 16;
    var sum: OfC;
    for (var k = 0u; k < K; k += 16) {
        let of_a = coopLoadT<OfA>(&a[row * K + k], K);
        let of_b = coopLoadT<OfB>(&b[k * N + column], N);
        sum = coopMultiplyAdd(of_a, of_b, sum);
    }
    coopStoreT(sum, &c[row * N + column], N);
}
