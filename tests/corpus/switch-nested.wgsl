// runs
// out[0..] = 1 1 5 3 1 6 5 3 1

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(9)
fn main(@builtin(local_invocation_index) i: u32) {
    var r = 0u;
    switch i % 4u {
        case 2u, default {
            switch i {
                case 2u, 6u: {
                    r = 5u;
                    break;
                }
                default: {
                    r = 1u;
                    if i == 5u {
                        r = 6u;
                        break;
                    }
                }
            }
        }
        case 3u {
            r = 3u;
            if i > 100u { break; }
            r = 3u;
        }
    }
    switch r {
        default: {}
    }
    out[i] = r;
}
