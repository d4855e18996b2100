// runs
// out[0..] = 0 1 2 3 4 5 6 7
// back[0..] = 3 5 1 1 2 2

struct Big { a: array<u32, 4>, b: vec4<u32> }
@group(0) @binding(0) var<storage, read> data: Big;
@group(0) @binding(1) var<storage, read_write> out: Big;
@group(0) @binding(2) var<storage, read_write> back: array<u32>;
var<workgroup> ours: Big;
var<private> mine: Big;

fn through(b: Big) -> Big {
    return b;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    var here = data;
    mine = through(here);
    ours = mine;
    out = ours;
    here.a[3] = 99u;
    back[0] = mine.a[3 - i];
    back[1] = through(ours).b.y;
    var list = array<vec2<u32>, 2>(vec2(1u), vec2(2u));
    let copy = list;
    list[0] = vec2(50u);
    back[2] = copy[i].x;
    back[3] = copy[0].y;
    list = copy;
    back[4] = list[i + 1u].x;
    back[5] = copy[i + 1u][i];
}
