// runs
// out[0..] = 1 0 1 1 0 1

struct Flags { a: bool, b: vec2<bool>, c: array<bool, 3> }
var<workgroup> ours: array<bool, 4>;
var<workgroup> flags: Flags;
var<private> mine: Flags;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) i: u32) {
    ours = array<bool, 4>();
    flags = Flags();
    ours[i + 2u] = true;
    out[0] = u32(ours[2]);
    out[1] = u32(ours[i + 3u]);
    flags.c[i + 1u] = true;
    out[2] = u32(flags.c[1]);
    mine = flags;
    out[3] = u32(mine.c[i + 1u]);
    out[4] = u32(any(mine.b));
    mine.b[i] = !mine.a;
    out[5] = u32(mine.b.x);
}
