// runs
// out[0..] = 3

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> bound: array<u32>;
var<private> n = 0u;

fn effect() -> u32 {
    n += 3u;
    return n;
}

@compute @workgroup_size(1)
fn main() {
    _ = effect();
    _ = 5;
    _ = bound[0];
    _ = &bound;
    out[0] = n;
}
