//! A program that can read its own files, the system's libraries and one file of the learner's, and can write one folder: Python with a
//! stranger's kernels.
//!
//! On Linux that is Landlock's work (<https://docs.kernel.org/userspace-api/landlock.html>): this program confines itself, and becomes the
//! other one. Elsewhere the program runs as it is.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::toolkit;

/// The argument of the `worker` subcommand that starts such a program.
pub(super) const FLAG: &str = "--sandbox";

/// Files and folders of the system that a program may read.
const SYSTEM: [&str; 12] = [
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/proc",
    "/etc/ld.so.cache",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
    "/dev/zero",
];

/// The command that runs a program so; arguments are to be added.
///
/// # Errors
/// That it is not known where this program is.
pub fn command(program: &Path, file: &Path, writable: &Path) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["worker", FLAG]).arg(file).arg(writable).arg(program);
    // Its caches and its temporary files.
    for name in ["TMPDIR", "HOME", "XDG_CACHE_HOME", "TRITON_CACHE_DIR", "TRITON_HOME"] {
        command.env(name, writable);
    }
    Ok(command)
}

/// Becomes the program.
pub(super) fn main(file: &str, writable: &str, program: &str, arguments: &[String]) -> ExitCode {
    confine(&readable(Path::new(program), Path::new(file)), Path::new(writable));
    let mut command = Command::new(program);
    command.args(arguments);
    become_it(command)
}

/// The folders of a program in a Python environment, of CUDA's tools, and of the system.
fn readable(program: &Path, file: &Path) -> Vec<PathBuf> {
    let prefix = |path: &Path| path.parent()?.parent().map(Path::to_owned);
    let own = [prefix(program), program.canonicalize().ok().and_then(|program| prefix(&program))];
    let system = SYSTEM.map(PathBuf::from);
    let all = own.into_iter().flatten().chain(toolkit::roots()).chain([file.to_owned()]).chain(system);
    all.filter(|path| path.exists()).collect()
}

/// Takes from this process, and from what it becomes, all files but these; and TCP, from Linux 6.7 on.
#[cfg(all(target_os = "linux", feature = "cuda"))]
fn confine(readable: &[PathBuf], writable: &Path) {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, path_beneath_rules};
    let (abi, write) = (ABI::V4, AccessFs::from_all(ABI::V4));
    let made = Ruleset::default()
        .handle_access(write)
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(Ruleset::create);
    let restricted = made
        .and_then(|made| made.add_rules(path_beneath_rules(readable, AccessFs::from_read(abi))))
        .and_then(|made| made.add_rules(path_beneath_rules([writable, Path::new("/dev/null")], write)))
        .and_then(|made| made.restrict_self());
    // Where the system has no Landlock, the file's definitions alone are taken all the same.
    drop(restricted);
}

#[cfg(not(all(target_os = "linux", feature = "cuda")))]
fn confine(_readable: &[PathBuf], _writable: &Path) {}

#[cfg(unix)]
fn become_it(mut command: Command) -> ExitCode {
    use std::os::unix::process::CommandExt;
    // It returns if the program does not start.
    drop(command.exec());
    ExitCode::FAILURE
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> ExitCode {
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
