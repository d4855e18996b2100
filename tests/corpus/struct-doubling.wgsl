// refused: parts is too large at line 9

struct A { x: u32, y: u32 }
struct B { x: A, y: A, z: A, w: A }
struct C { x: B, y: B, z: B, w: B }
struct D { x: C, y: C, z: C, w: C }
struct E { x: D, y: D, z: D, w: D }
struct F { x: E, y: E, z: E, w: E }
struct G { x: F, y: F, z: F, w: F }
struct H { x: G, y: G, z: G, w: G }
struct I { x: H, y: H, z: H, w: H }
@group(0) @binding(0) var<storage, read_write> out: I;

@compute @workgroup_size(1)
fn main() {
    out.x.y.z.w.x.y.z.w.x = 1u;
}
