// runs
// out[0..] = 0 1 3 6 10 15 21 28

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    var k = 0u;
    loop {
        if k > i { break; }
        var j = 0u;
        while j < k {
            j++;
            if j == 100u { continue; }
            sum++;
        }
        k++;
    }
    out[i] = sum;
}
