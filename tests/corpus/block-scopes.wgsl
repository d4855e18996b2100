// runs
// out[0..] = 11 3 0 5

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(1)
fn main() {
    var a = 1u;
    {
        var b = 10u;
        {
            a += b;
        }
        ;
    }
    out[0] = a;
    {}
    {{{ out[1] = 3u; }}}
    for (var k = 0u; k < 3u; k++) {
        // A variable in a loop starts anew in each round.
        var fresh: u32;
        out[2] += fresh;
        fresh = 5u;
        out[3] = fresh;
    }
}
