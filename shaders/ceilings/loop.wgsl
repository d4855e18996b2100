// A long loop that no compiler can shorten, to see whether the driver runs it to its end.
override turns: u32 = 1u;

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var x = 1u;
    for (var turn = 0u; turn < turns; turn++) {
        x = x * 1664525u + 1013904223u;
    }
    out[0] = x;
}
