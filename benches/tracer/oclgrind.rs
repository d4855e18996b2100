//! The same kernel in OpenCL under Oclgrind (Debian's package `oclgrind`), on one thread.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::cases::Case;

/// Starts, compiles and does nothing: what a run takes besides the kernel.
const EMPTY: &str = "kernel void run(global float *out) { }";

/// The time of the kernel alone, in seconds: a whole run less one of an empty kernel.
///
/// # Errors
/// When Oclgrind is not there, or refuses the kernel.
pub fn time(case: &Case, source: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let [x, y, z] = case.workgroup();
    let global = [case.grid[0] * x, case.grid[1] * y, case.grid[2] * z];
    let mut arguments = String::new();
    for count in &case.counts {
        writeln!(arguments, "<size={} range=0:1:{} float>", count * 4, count - 1)?;
    }
    for (_, value) in &case.constants {
        writeln!(arguments, "<size=4 uint>\n{value}")?;
    }
    let ranges = format!("{} {} {}\n{x} {y} {z}\n", global[0], global[1], global[2]);
    let empty = run(EMPTY, "1 1 1\n1 1 1\n<size=4 fill=0 float>\n")?;
    Ok(run(source, &(ranges + &arguments))? - empty)
}

fn run(source: &str, simulation: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("kernel.cl"), source)?;
    std::fs::write(at("run.sim"), format!("{}\nrun\n{simulation}", display(&at("kernel.cl"))))?;
    let mut command = Command::new("oclgrind-kernel");
    command.args(["--max-wgsize", "1024", "--num-threads", "1"]).arg(at("run.sim")).stdout(Stdio::null());
    let start = Instant::now();
    let output = command.stderr(Stdio::piped()).output().map_err(|e| format!("not run ({e}): install `oclgrind`"))?;
    let seconds = start.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || !said.trim().is_empty() {
        return Err(format!("it failed: {}", said.trim()).into());
    }
    Ok(seconds)
}

fn display(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
