// runs
// set n=4
// finds out_of_bounds at line 12
// out[0..] = 3 0

override n: u32 = 16;
var<workgroup> first: array<u32, n>;
var<workgroup> second: array<u32, n>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn past() -> u32 {
    return first[5];
}

@compute @workgroup_size(1)
fn main() {
    for (var k = 0u; k < n; k++) {
        first[k] = k;
        second[k] = k + 10u;
    }
    out[0] = first[3];
    out[1] = past();
}
