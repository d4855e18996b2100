// runs
// out[0..] = 0 4 8 12 16 21 25

struct Item { v: vec3<f32>, w: f32 }
struct All { a: array<vec4<f32>, 4>, b: array<Item, 3> }
@group(1) @binding(3) var<uniform> all_of_it: All;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 5u {
        out[i] = select(all_of_it.b[0].v.x, all_of_it.a[i & 3u].x, i < 4u);
    } else {
        out[i] = all_of_it.b[i - 4u].v.y;
    }
}
