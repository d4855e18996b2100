// rejected: continuing at line 7

@compute @workgroup_size(1)
fn main() {
    loop {
        continuing {
            return;
        }
    }
}
