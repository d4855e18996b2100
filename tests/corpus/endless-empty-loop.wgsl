// runs
// finds out_of_fuel at line 7

@compute @workgroup_size(1)
fn main() {
    loop {
        continuing { break if false; }
    }
}
