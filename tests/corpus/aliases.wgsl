// runs
// out[0..] = 6 3 10

alias Number = u32;
alias Three = vec3<Number>;
alias Row = array<Three, 2>;
alias Handle = ptr<function, Row>;
struct Holder { row: Row }
@group(0) @binding(0) var<storage, read_write> out: array<Number>;

fn sum(p: Handle) -> Number {
    return (*p)[0].x + (*p)[1].z;
}

@compute @workgroup_size(1)
fn main() {
    var row = Row(Three(1u, 2u, 3u), Three(4u, 5u, 5u));
    out[0] = sum(&row);
    var h: Holder;
    h.row = row;
    out[1] = h.row[0].z;
    out[2] = Three(10u).y;
}
