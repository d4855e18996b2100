// runs
// out[0..] = 12 5 9 3 30 7

struct Pair { a: u32, b: array<u32, 4> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn double(p: ptr<function, u32>) {
    *p *= 2u;
}

fn assign(p: ptr<function, array<u32, 4>>, i: u32, to: u32) {
    (*p)[i] = to;
}

fn set_part(p: ptr<function, Pair>, i: u32) -> u32 {
    p.a += 1u;
    p.b[i] = 9u;
    return p.a;
}

fn twice(p: ptr<function, u32>) {
    double(p);
    double(p);
}

fn swap(a: ptr<function, u32>, b: ptr<function, u32>) {
    let t = *a;
    *a = *b;
    *b = t;
}

fn add_to(v: ptr<function, vec3<f32>>, i: u32) {
    (*v)[i] += 7.0;
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    var n = 3u;
    twice(&n);
    out[0] = n;
    var many = array<u32, 4>();
    assign(&many, i + 2u, 5u);
    out[1] = many[2];
    var pair = Pair(2u, many);
    let three = set_part(&pair, i + 1u);
    out[2] = pair.b[1];
    out[3] = three;
    var x = 30u;
    swap(&n, &x);
    out[4] = n;
    var v = vec3<f32>();
    add_to(&v, i + 1u);
    out[5] = u32(v.y);
}
