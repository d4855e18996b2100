// rejected: return at line 3

fn f(n: u32) -> u32 {
    if n > 3u { return 1u; }
}

@compute @workgroup_size(1)
fn main() {
    _ = f(1u);
}
