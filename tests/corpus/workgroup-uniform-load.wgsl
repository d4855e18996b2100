// runs
// out[0..] = 3 5 9 1

struct Pair { a: u32, b: array<vec2<u32>, 2> }
var<workgroup> n: u32;
var<workgroup> pair: Pair;
var<workgroup> list: array<u32, 4>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 2u {
        n = 3u;
        pair = Pair();
        pair.a = 5u;
        pair.b[1].y = 9u;
        list[1] = 1u;
    }
    let a = workgroupUniformLoad(&n);
    let p = workgroupUniformLoad(&pair);
    let l = workgroupUniformLoad(&list[1]);
    if a == 3u {
        workgroupBarrier();
    }
    if i == 0u {
        out[0] = a;
        out[1] = p.a;
        out[2] = p.b[1].y;
        out[3] = l;
    }
}
