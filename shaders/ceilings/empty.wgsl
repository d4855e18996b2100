// Nothing at all: what remains is the cost of a launch.
@compute @workgroup_size(32)
fn main() {}
