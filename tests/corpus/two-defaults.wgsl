// rejected: default at line 4

@compute @workgroup_size(1)
fn main() {
    switch 1 {
        default: {}
        default: {}
    }
}
