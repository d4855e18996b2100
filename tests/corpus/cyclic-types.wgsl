// rejected: cyclic at line 4

struct A { b: B }
struct B { a: array<A, 2> }
@compute @workgroup_size(1)
fn main() {}
