// runs
// out[0..] = 0 0 0 0 0 0 0

struct All { a: u32, b: vec3<f32>, c: mat3x4<f32>, d: array<array<i32, 3>, 2>, e: bool }
var<workgroup> ours: array<u32, 5>;
var<private> mine: All;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    var here: All;
    let made = All();
    out[0] = here.a + u32(here.b.z);
    out[1] = u32(made.c[2].w);
    out[2] = u32(mine.d[1][i]);
    out[3] = u32(here.d[i][2]);
    out[4] = u32(mine.e);
    out[5] = vec4<u32>().w + u32(mat2x2<f32>()[i].x) + u32(f32());
    out[6] = u32(made.e) + u32(made.b[i]);
}
