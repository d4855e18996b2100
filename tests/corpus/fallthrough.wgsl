// rejected: expected at line 6

@compute @workgroup_size(1)
fn main() {
    switch 1 {
        case 1: { fallthrough; }
        default: {}
    }
}
