// runs
// out[0..] = 4 9 6

struct State { n: u32, list: array<vec2<u32>, 3> }
var<private> state: State = State(4u, array<vec2<u32>, 3>());
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn read(p: ptr<private, State>) -> u32 {
    return p.n;
}

fn fill(p: ptr<private, array<vec2<u32>, 3>>, i: u32) {
    (*p)[i] = vec2(9u, 6u);
}

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    fill(&state.list, i + 1u);
    if i == 1u {
        out[0] = read(&state);
        out[1] = state.list[2].x;
        out[2] = state.list[i + 1u].y;
    }
}
