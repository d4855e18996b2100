//! Scripts in Python that know what this program does not: a compiler of Triton's functions, a reader of ncu's reports.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::base::diag::Diagnostic;
use crate::base::process::finished;
use crate::gpu::{sandbox, toolkit};

/// The time after which a script is ended.
const LONGEST: Duration = Duration::from_secs(300);

/// A package that a script needs.
#[derive(Clone, Copy)]
pub(super) struct Package {
    /// Its folder among Python's packages.
    pub folder: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// The packages that pip installs.
    pub install: &'static str,
}

/// The last line that a script prints for an argument, as JSON. `failed` is what does not happen if it fails. If it reads a `stranger`'s
/// file, it can open that one and Python's own, and write no other.
///
/// # Errors
/// That no Python has the package, or that the script ends otherwise.
pub(super) fn answer<T: DeserializeOwned>(
    package: Package,
    (script, argument): (&str, &str),
    failed: &str,
    stranger: Option<&Path>,
) -> Result<T, Diagnostic> {
    let Package { folder, name, install } = package;
    let python = toolkit::python_with(folder).ok_or_else(|| {
        Diagnostic::error(format!("{name} is missing: no Python is found that has it"))
            .hint(format!("install it into an active Python environment, without a GPU: pip install {install}"))
            .not_here()
    })?;
    let failed = |why: &str| Diagnostic::error(format!("{failed}: {why}"));
    let folder = tempfile::tempdir().map_err(|error| failed(&error.to_string()))?;
    let mut command = match stranger.map(|file| sandbox::command(&python, file, folder.path())) {
        None => Command::new(&python),
        Some(command) => command.map_err(|error| failed(&error.to_string()))?,
    };
    // Neither the current folder nor the user's settings change what is imported.
    command.args(["-I", "-W", "ignore", "-c", script, argument]);
    let ended = finished(command, LONGEST).map_err(|error| failed(&error.to_string()))?;
    let answer = ended.said.lines().last().and_then(|line| serde_json::from_str(line).ok());
    answer.ok_or_else(|| {
        let said = ended.log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("Python says nothing");
        failed(said).hint(format!("it was run by {}", python.display()))
    })
}
