//! The pack is embedded in the program: a file that is new in it must recompile it.

fn main() {
    for folder in ["lessons", "shaders", "assets"] {
        println!("cargo::rerun-if-changed=../../{folder}");
    }
}
