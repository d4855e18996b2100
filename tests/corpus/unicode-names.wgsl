// runs
// out[0..] = 3 7

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
const größe = 3u;
struct Δομή { ñ: u32 }

fn 加算(א: u32, б: u32) -> u32 {
    return א + б;
}

@compute @workgroup_size(1)
fn main() {
    out[0] = größe; // 🙂 a comment with more than the alphabet: ✓
    let δ = Δομή(3u);
    out[1] = 加算(δ.ñ, 4u);
}
