// Where the chunks of a message begin and end: with padding all
// are as long, without they differ by one element.
// A lane has one chunk.

override RANKS: u32 = 4;
override COUNT: u32 = 18;  // elements of a rank

// A chunk: its track, its number, its beginning and its end.
@group(0) @binding(0)
var<storage, read_write> cuts: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let chunk = gid.x;
    if (chunk >= RANKS) {
        return;
    }
    let padded = (COUNT + RANKS - 1) / RANKS;
    cuts[chunk] = vec4(0.0, f32(chunk),
        f32(chunk * padded), f32((chunk + 1) * padded));
    cuts[RANKS + chunk] = vec4(1.0, f32(chunk),
        f32(chunk * COUNT / RANKS),
        f32((chunk + 1) * COUNT / RANKS));
}
