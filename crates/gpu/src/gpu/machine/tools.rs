//! Running `ptxas` and `nvdisasm`.

use std::io::Write;
use std::process::Command;
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::base::process::{Finished, finished};
#[cfg(feature = "cuda")]
use crate::gpu::backend::Part;
use crate::gpu::toolkit;

pub(super) const PTXAS: &str = "ptxas";
pub(super) const NVDISASM: &str = "nvdisasm";

/// The time after which a program is ended.
const LONGEST: Duration = Duration::from_secs(60);

/// The log of `ptxas -v` and the machine code of PTX, for the target that it names.
///
/// # Errors
/// The program's error message; None if the program is not installed.
pub(super) fn assemble(ptx: &str) -> Result<(String, Vec<u8>), Option<String>> {
    let target = ptx.lines().find_map(|line| line.trim().strip_prefix(".target"));
    let target = target.and_then(|names| names.split(',').next()).map(str::trim);
    let target = target.ok_or_else(|| Some("it names no target".to_owned()))?;
    let (input, output) = (holding(ptx.as_bytes())?, holding(&[])?);
    // An older one may not know the PTX of a newer compiler.
    let mut last = None;
    for program in toolkit::programs(PTXAS) {
        let mut command = Command::new(program);
        command
            .arg(format!("-arch={target}"))
            .args(["-v", "--generate-line-info"])
            .arg(input.path())
            .arg("-o")
            .arg(output.path());
        match run(command) {
            Ok((_, log)) => {
                let code = std::fs::read(output.path()).map_err(|error| Some(error.to_string()))?;
                return Ok((log, code));
            }
            // The reader knows no file of ours.
            Err(why) => last = last.or(Some(why.replace(&input.path().display().to_string(), "its PTX"))),
        }
    }
    Err(last)
}

/// The listing of machine code by `nvdisasm`, with source lines.
///
/// # Errors
/// The program's error message; None if the program is not installed.
pub(super) fn disassemble(code: &[u8]) -> Result<String, Option<String>> {
    let input = holding(code)?;
    let mut last = None;
    for program in toolkit::programs(NVDISASM) {
        let mut command = Command::new(program);
        command.args(["-gi", "-c"]).arg(input.path());
        match run(command) {
            Ok((text, _)) => return Ok(text),
            Err(why) => last = last.or(Some(why)),
        }
    }
    Err(last)
}

/// A file for a program, with these bytes.
fn holding(bytes: &[u8]) -> Result<NamedTempFile, Option<String>> {
    let mut file = NamedTempFile::new().map_err(|error| Some(error.to_string()))?;
    file.write_all(bytes).map_err(|error| Some(error.to_string()))?;
    Ok(file)
}

/// A program with its version, or that it is missing.
#[cfg(feature = "cuda")]
pub(super) fn part(name: &str, get: &str) -> Part {
    let version = toolkit::programs(name).into_iter().next().and_then(|program| {
        let mut command = Command::new(program);
        command.arg("--version");
        let (said, _) = run(command).ok()?;
        let line = said.lines().find(|line| line.contains("release"))?;
        Some(line.rsplit(' ').next()?.trim_start_matches('V').to_owned())
    });
    Part {
        name: name.to_owned(),
        found: version.is_some(),
        hint: version.is_none().then(|| format!("{get}; without it nothing is missing but machine code")),
        what: version.unwrap_or_else(|| format!("no program {name} that answers")),
    }
}

/// Runs a program; returns its standard output and its standard error.
///
/// # Errors
/// Its first line about an error, or why it does not end.
fn run(command: Command) -> Result<(String, String), String> {
    let Finished { status, said, log } = finished(command, LONGEST).map_err(|error| error.to_string())?;
    if status.success() {
        return Ok((said, log));
    }
    let line = log.lines().chain(said.lines()).find(|line| line.contains("error") || line.contains("fatal"));
    Err(line.or_else(|| log.lines().next()).map_or_else(|| format!("it ends with {status}"), str::to_owned))
}
