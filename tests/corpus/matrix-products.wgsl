// runs
// out[0..] = 23 34 31 46 5 11 7 10 15 22 4 6 10 -2 6

@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(1)
fn main() {
    let m = mat2x2<f32>(data[1], data[2], data[3], data[4]);
    let n = mat2x2<f32>(data[5], data[6], data[7], data[8]);
    let p = m * n;
    out[0] = p[0].x;
    out[1] = p[0].y;
    out[2] = p[1].x;
    out[3] = p[1].y;
    let row = vec2(1.0, 2.0) * m;
    out[4] = row.x;
    out[5] = row.y;
    let column = m * vec2(1.0, 2.0);
    out[6] = column.x;
    out[7] = column.y;
    let square = m * m;
    out[8] = square[1][0];
    out[9] = square[1][1];
    out[10] = (m + m)[0][1];
    out[11] = (m * 2.0)[1].x;
    out[12] = (n - m + m * 1.0)[0].x * 2.0;
    out[13] = determinant(m);
    out[14] = transpose(n)[1][0];
}
