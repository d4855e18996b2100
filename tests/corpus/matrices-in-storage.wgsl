// runs
// out[0..] = 0 1 2 0 4 5 6 0 8 9 10 0
// shifted[0..] = 0 1 2 3 4 5
// total[0..] = 45 5

struct Wide { m: mat3x3<f32> }
@group(0) @binding(0) var<storage, read> data: array<Wide>;
@group(0) @binding(1) var<storage, read_write> out: array<Wide>;
@group(0) @binding(2) var<storage, read_write> shifted: array<mat3x2<f32>>;
@group(0) @binding(3) var<storage, read> narrow: array<mat3x2<f32>>;
@group(0) @binding(4) var<storage, read_write> total: array<f32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = data[0];
    shifted[0] = narrow[0];
    var sum = 0.0;
    for (var c = 0u; c < 3u; c++) {
        for (var r = 0u; r < 3u; r++) {
            sum += data[0].m[c][r];
        }
    }
    total[0] = sum;
    total[1] = data[0].m[1].y;
}
