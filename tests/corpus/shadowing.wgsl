// runs
// out[0..] = 1 2 3 2 1 7 5

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
const x = 1u;

fn parameter(x: u32) -> u32 {
    return x + 1u;
}

fn min(a: u32, b: u32) -> u32 {
    return a + b;
}

@compute @workgroup_size(1)
fn main() {
    out[0] = x;
    let x = 2u;
    out[1] = x;
    {
        let x = 3u;
        out[2] = x;
    }
    out[3] = x;
    for (var x = 1u; x < 2u; x++) {
        out[4] = x;
        let y = x;
    }
    out[5] = min(3u, 4u);
    if true {
        var x = parameter(4u);
        out[6] = x;
    }
}
