//! Tells the program which commit it was built from, so that a note can say so.

use std::process::Command;

fn main() {
    // The pack is embedded in the program: a file that is new in it must recompile it.
    for folder in ["lessons", "shaders", "assets"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    println!("cargo::rerun-if-changed=.git/HEAD");
    println!("cargo::rerun-if-changed=.git/refs/heads");
    let described = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=10"]).output();
    let commit = match described {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    };
    println!("cargo::rustc-env=WARPBOOK_COMMIT={commit}");
}
