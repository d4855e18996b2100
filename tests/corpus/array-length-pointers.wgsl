// runs
// out[0..] = 64 32 16 64 61

struct Log { head: vec3<u32>, items: array<u32> }
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> log: Log;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;

fn of_module_scope() -> u32 {
    let p = &out;
    return arrayLength(p);
}

@compute @workgroup_size(1)
fn main() {
    let pa = &a;
    out[0] = arrayLength(pa);
    out[1] = arrayLength(&b);
    out[2] = arrayLength(&b) / 2u;
    out[3] = of_module_scope();
    let whole = &log;
    let items = &(*whole).items;
    out[4] = arrayLength(items);
}
