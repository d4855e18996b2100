// refused: too large at line 15

struct Much { a: array<u32, 100000000> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn make(n: u32) -> Much {
    if n > 3u {
        return Much();
    }
    return Much();
}

@compute @workgroup_size(1)
fn main() {
    _ = make(out[0]);
}
