// runs
// out[0..] = 8 4 3 5 6

struct Deep { rows: array<array<vec4<u32>, 2>, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> data: Deep;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    let rows = &data.rows;
    let row = &(*rows)[i + 1u];
    let cell = &(*row)[0];
    out[0] = (*cell).x;
    out[1] = (*rows)[0][1][i];
    var x = 1u;
    let p = &x;
    let q = p;
    *q += 2u;
    out[2] = x;
    out[3] = rows[0][1].y;
    out[4] = data.rows[i][1].z;
}
