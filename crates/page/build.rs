//! Gives the module a stack on which long shaders are compiled.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-zstack-size=16777216");
}
