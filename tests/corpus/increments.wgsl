// runs
// out[0..] = 1 4294967295 3 1 2 10
// signed[0..] = -1 2

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> signed: array<i32>;

struct Pair { a: u32, b: i32 }

@compute @workgroup_size(1)
fn main() {
    out[0]++;
    out[1]--;
    var v = vec3<u32>(2u);
    v.y++;
    v[2]--;
    out[2] = v.y;
    out[3] = v.z;
    var p: Pair;
    p.a++;
    p.a++;
    p.b--;
    out[4] = p.a;
    signed[0] = p.b;
    var i = 0;
    for (; i < 10; i++) {}
    out[5] = u32(i);
    let at = &signed[1];
    (*at)++;
    (*at)++;
}
