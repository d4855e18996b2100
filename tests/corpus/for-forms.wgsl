// runs
// out[0..] = 10 3 6 4 2

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> calls = 0u;

fn step_on() {
    calls++;
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 5u; i += 1u) { out[0] += i; }
    var k = 0u;
    for (;;) {
        if k == 3u { break; }
        k++;
    }
    out[1] = k;
    for (k = 0u; k < 6u;) { k += 2u; }
    out[2] = k;
    for (; calls < 4u; step_on()) { continue; }
    out[3] = calls;
    for (let fixed = 2u; k > 4u; k--) { out[4] = fixed; }
}
