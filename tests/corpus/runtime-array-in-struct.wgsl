// runs
// out[0..] = 0 1 2 61 16 30 59

struct Part { a: u32, b: vec2<u32> }
struct Log { count: u32, items: array<u32> }
struct Parts { head: array<u32, 3>, items: array<Part> }
@group(0) @binding(0) var<storage, read> log: Log;
@group(0) @binding(1) var<storage, read> parts: Parts;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = log.count;
    out[1] = log.items[0];
    out[2] = log.items[1];
    out[3] = arrayLength(&out) - 3u;
    let items = &parts.items;
    out[4] = (*items)[3].a;
    out[5] = items[6].b.x;
    out[6] = arrayLength(&log.items) - 4u;
}
