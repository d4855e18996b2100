// rejected: cyclic at line 7

fn f(n: u32) -> u32 {
    return g(n);
}

fn g(n: u32) -> u32 {
    return f(n);
}

@compute @workgroup_size(1)
fn main() {
    _ = f(1u);
}
