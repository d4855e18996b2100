//! This program once more, with a setting that the system's loader reads only at the start.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use crate::base::diag::Diagnostic;

/// Restarts this program with the setting; on Unix as the same process, so that its parent still has it.
pub(super) fn with((name, value): (OsString, OsString)) -> Result<ExitCode, Diagnostic> {
    let cannot = |error: std::io::Error| Diagnostic::error(format!("cannot start again with {name:?} set: {error}"));
    let program = std::env::current_exe().map_err(cannot)?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(&name, value);
    #[cfg(unix)]
    {
        // It comes back only if it fails.
        Err(cannot(std::os::unix::process::CommandExt::exec(&mut command)))
    }
    #[cfg(not(unix))]
    {
        let status = command.status().map_err(cannot)?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
    }
}
