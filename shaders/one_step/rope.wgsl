// Rotary positions: the pair (i, i + D / 2) of a query or a key
// is turned by the angle position / 10000^(2 i / D). Scores then
// depend on distances only. SIGN = -1 turns back, which is what
// the gradient needs. In place.
// A lane has one pair of the queries, and the same of the keys.

override ROWS: u32 = 16;
override TOKENS: u32 = 8;  // rows of a sequence
override WIDTH: u32 = 16;
override D: u32 = 8;       // numbers of a head
override HELD: u32 = 2;    // layers that `qkv` has
override SIGN: f32 = 1.0;

@group(0) @binding(0) var<storage, read> layer: array<u32>;
@group(0) @binding(1) var<storage, read_write> qkv: array<f32>;

fn turn(at: u32, c: f32, s: f32) {
    let a = qkv[at];
    let b = qkv[at + D / 2];
    qkv[at] = a * c - b * s;
    qkv[at + D / 2] = a * s + b * c;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let i = (group.x + group.y * groups.x) * 256 + lane;
    let pairs = WIDTH / 2;
    if (i >= ROWS * pairs) {
        return;
    }
    let row = i / pairs;
    let pair = i % pairs;
    let head = pair / (D / 2);
    let j = pair % (D / 2);
    const LN = 9.210340371976184;  // ln 10000
    let speed = exp(-LN * f32(2 * j) / f32(D));
    let angle = f32(row % TOKENS) * speed;
    let c = cos(angle);
    let s = SIGN * sin(angle);
    let kept = layer[0] % HELD * ROWS + row;
    let at = kept * 3 * WIDTH + head * D + j;
    turn(at, c, s);
    turn(at + WIDTH, c, s);
}
