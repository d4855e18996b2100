// runs
// out[0..] = 1 0 0 0 2 3 4 5 6 0 0 0 0 0 0 0 7 0 0 0 8 0 0 0

struct Inner { a: u32, @align(16) b: u32 }
struct Outer {
    head: u32,
    v: vec3<u32>,
    tail: u32,
    @size(32) wide: u32,
    inner: Inner,
}
@group(0) @binding(0) var<storage, read_write> out: Outer;

@compute @workgroup_size(1)
fn main() {
    out.head = 1u;
    out.v = vec3(2u, 3u, 4u);
    out.tail = 5u;
    out.wide = 6u;
    out.inner.a = 7u;
    out.inner.b = 8u;
    let p = &out.inner.b;
    *p += 0u;
}
