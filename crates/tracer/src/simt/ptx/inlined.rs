//! A kernel with the functions that it calls in their places.

use warpbook_base::diag::Diagnostic;

use super::module::{Kernel, Part};
use super::parse::read;
use super::{calls, workspace};

/// The kernel `entry` of `text`, with the functions that it calls in their places. `source` gives the line that a line of a file is shown
/// at; None if it is not shown.
///
/// # Errors
/// Invalid text, with its line; a kernel that does not exist; calls that cannot be traced.
pub(super) fn kernel(
    file: &str,
    text: &str,
    entry: &str,
    source: &dyn Fn(&str, u32) -> Option<u32>,
) -> Result<Kernel, Diagnostic> {
    let (mut parser, kernel) = read(file, text, entry, source)?;
    let mut kernel = calls::inline(&mut parser, kernel, source)?;
    kernel.variables.append(&mut parser.module);
    workspace::add_workspace(&mut kernel);
    for part in &mut kernel.body {
        if let Part::Instruction(i) = part
            && i.line == 0
        {
            i.line = i.at;
        }
    }
    Ok(kernel)
}

/// The same to ask about its parameters and variables: where its calls cannot be traced, as it is without them.
///
/// # Errors
/// Invalid text, with its line; a kernel that does not exist.
pub(super) fn declared(file: &str, text: &str, entry: &str) -> Result<Kernel, Diagnostic> {
    let source = |_: &str, _: u32| None;
    if let Ok(kernel) = kernel(file, text, entry, &source) {
        return Ok(kernel);
    }
    let (mut parser, mut kernel) = read(file, text, entry, &source)?;
    kernel.variables.append(&mut parser.module);
    Ok(kernel)
}
