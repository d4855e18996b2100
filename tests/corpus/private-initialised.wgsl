// runs
// out[0..] = 5 8 3 2 0 1 6 4

const eight = 8u;
const table = array<u32, 3>(1u, 2u, 3u);
var<private> a = 5u;
var<private> b: u32 = eight;
var<private> c: array<u32, 3> = table;
var<private> d: vec4<f32> = vec4(2.0);
var<private> e: mat2x2<f32>;
var<private> f: bool = true;
var<private> g = vec2<i32>(6, 4);
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    c[i] += 0u;
    if i == 2u {
        out[0] = a;
        out[1] = b;
        out[2] = c[i];
        out[3] = u32(d[i]);
        out[4] = u32(e[1].y);
        out[5] = u32(f);
        out[6] = u32(g.x);
        out[7] = u32(g.y);
    }
}
