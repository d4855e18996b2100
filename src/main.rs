//! Warpbook.
fn main() {}
