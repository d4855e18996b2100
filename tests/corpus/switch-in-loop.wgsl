// runs
// out[0..] = 0 2 2 6 6 6

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    var sum = 0u;
    for (var k = 0u; k < i + 1u; k++) {
        switch k {
            case 0u: { continue; }
            case 4u, 5u: { break; }
            case 1u, default: {
                if k % 2u == 0u {
                    continue;
                }
                sum += k;
                break;
            }
        }
        if k < 4u {
            sum += 1u + u32(k == 3u) - u32(k == 3u);
        }
    }
    out[i] = sum;
}
