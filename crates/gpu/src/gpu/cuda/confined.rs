//! NVRTC in a process of its own that can open the compiler's files and no others, however a stranger's text names
//! them. The headers of a text come with it: in a pack from its folder, of a file that the learner names by their paths
//! from there ([`crate::base::parts`]).
//!
//! On Linux that is Landlock's work (<https://docs.kernel.org/userspace-api/landlock.html>). Where there is none, a
//! text whose directives could name other files is refused ([`super::directives`]).

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::directives;
use super::nvrtc::{self, Compilation, Outcome};
use crate::gpu::{protocol, toolkit};

/// The argument of the `worker` subcommand that starts such a process.
pub const FLAG: &str = "--nvrtc";

/// A text to compile.
#[derive(Serialize, Deserialize)]
pub(super) struct Order {
    pub source: String,
    /// The name of the text in messages.
    pub name: String,
    /// Headers by name, with their texts.
    pub headers: Vec<(String, String)>,
    pub options: Vec<String>,
    /// An instance of a template.
    pub instance: Option<String>,
}

/// The process, while it runs.
struct Compiler {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // One that still compiles is not waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Compiler {
    fn start() -> std::io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["worker", FLAG]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("it has no streams"));
        };
        Ok(Self { child, input, output })
    }

    fn ask(&mut self, order: &Order) -> Result<Outcome<Compilation>, protocol::FrameError> {
        protocol::write(&mut self.input, order)?;
        protocol::read(&mut self.output)
    }
}

/// Compiles a text in the confined process of this one, which starts at the first call.
///
/// # Errors
/// When the compiler fails otherwise than by errors in the source.
pub(super) fn compile(order: &Order) -> Outcome<Compilation> {
    static RUNNING: Mutex<Option<Compiler>> = Mutex::new(None);
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let compiler = match running.take() {
        Some(compiler) => compiler,
        None => Compiler::start().map_err(|error| format!("its process does not start: {error}"))?,
    };
    let compiler = running.insert(compiler);
    compiler.ask(order).unwrap_or_else(|error| {
        // The next one begins anew.
        *running = None;
        Err(format!("its process ended: {error}"))
    })
}

/// Serves standard input and output until the other side closes them.
pub fn main() -> ExitCode {
    let is_confined = nvrtc::is_present() && confine();
    let (sender, orders) = std::sync::mpsc::channel::<Order>();
    std::thread::spawn(move || {
        let mut input = std::io::stdin();
        while let Ok(order) = protocol::read(&mut input) {
            if sender.send(order).is_err() {
                return;
            }
        }
        // A compilation may take long, and nobody waits for it.
        ended(&mut input);
    });
    let mut output = std::io::stdout();
    while let Ok(order) = orders.recv() {
        let outcome = answer(&order, is_confined);
        if protocol::write(&mut output, &outcome).is_err() || output.flush().is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

fn answer(order: &Order, is_confined: bool) -> Outcome<Compilation> {
    if !is_confined {
        let texts = std::iter::once(&order.source).chain(order.headers.iter().map(|(_, text)| text));
        for text in texts {
            directives::check(text)?;
        }
    }
    let headers: Vec<(&str, &str)> = order.headers.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    nvrtc::compile(&order.source, &order.name, &headers, &order.options, order.instance.as_deref())
}

#[expect(
    clippy::disallowed_methods,
    reason = "nobody is left to return a code to, and the compiler cannot be interrupted"
)]
fn ended(_: &mut impl Read) {
    std::process::exit(0);
}

/// The folders that the compiler reads: its own, those that the learner names for headers, and the system's libraries.
fn readable() -> Vec<PathBuf> {
    let named = std::env::var_os("CPATH").unwrap_or_default();
    let named: Vec<PathBuf> = std::env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let own = toolkit::roots().into_iter().flat_map(|root| ["include", "lib", "lib64"].map(|folder| root.join(folder)));
    let system = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/dev/null"]
        .map(PathBuf::from);
    own.chain(named).chain(system).filter(|path| path.exists()).collect()
}

/// Takes from this process, and from all threads that it starts, what is not readable for the compiler; false where the
/// system cannot.
#[cfg(target_os = "linux")]
fn confine() -> bool {
    use landlock::{
        ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, path_beneath_rules,
    };
    let all = AccessFs::from_all(ABI::V2);
    let rules = path_beneath_rules(readable(), AccessFs::from_read(ABI::V2));
    let made = Ruleset::default().handle_access(all).and_then(Ruleset::create);
    let restricted = made.and_then(|made| made.add_rules(rules)).and_then(|made| made.restrict_self());
    restricted.is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
}

#[cfg(not(target_os = "linux"))]
fn confine() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confined_thread_opens_no_other_file() {
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        // Landlock confines the thread that asks for it, and those that it starts.
        let confined = std::thread::spawn(move || (confine(), std::fs::File::open(own).is_err()));
        let (says, is_so) = confined.join().unwrap_or_default();
        assert_eq!(says, is_so, "a process that is not confined refuses such texts instead");
        assert!(std::fs::File::open(own).is_ok());
    }
}
