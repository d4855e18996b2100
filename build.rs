//! Tells the program which commit it was built from, so that a note can say so.

use std::process::Command;

fn main() {
    // A development build does not name its commit, because each commit would compile all of it again.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if is_release { described() } else { "development build".to_owned() };
    println!("cargo::rustc-env=WARPBOOK_COMMIT={commit}");
}

/// The commit, and whether files differ from it; "unknown" without git.
fn described() -> String {
    println!("cargo::rerun-if-changed=.git/HEAD");
    println!("cargo::rerun-if-changed=.git/refs/heads");
    let described = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=10"]).output();
    match described {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}
