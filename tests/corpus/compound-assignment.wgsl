// runs
// out[0..] = 12 7 35 8 2 2 6 5 20 5 44 9 3
// real[0..] = 3.5 3 6 2 0.5 2 4 6

struct Cell { n: u32, v: vec3<f32>, a: array<u32, 3> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> real: array<f32>;
@group(0) @binding(2) var<storage, read> data: array<u32>;
var<workgroup> shared_cell: Cell;

@compute @workgroup_size(1)
fn main() {
    out[0] = 5u; out[0] += data[7];
    out[1] = 9u; out[1] -= data[2];
    out[2] = 5u; out[2] *= data[7];
    out[3] = 40u; out[3] /= data[5];
    out[4] = 17u; out[4] %= data[5];
    out[5] = 6u; out[5] &= data[3];
    out[6] = 4u; out[6] |= data[2];
    out[7] = 6u; out[7] ^= data[3];
    out[8] = 5u; out[8] <<= data[2];
    out[9] = 21u; out[9] >>= data[2];
    var cell = Cell(40u, vec3(1.0, 2.0, 3.0), array<u32, 3>(1u, 2u, 3u));
    cell.n += data[4];
    cell.a[data[2]] *= 3u;
    shared_cell.a[data[1]] = 0u;
    shared_cell.a[data[1]] += 3u;
    out[10] = cell.n;
    out[11] = cell.a[2];
    out[12] = shared_cell.a[1];
    var v = vec4(1.5, 1.0, 4.0, 8.0);
    v.x += 2.0;
    v[1] *= 3.0;
    v.z -= -2.0;
    v.w /= 4.0;
    real[0] = v.x; real[1] = v.y; real[2] = v.z; real[3] = v.w;
    var r = 4.5;
    r %= 2.0;
    real[4] = r;
    cell.v *= 2.0;
    real[5] = cell.v.x; real[6] = cell.v.y; real[7] = cell.v.z;
}
