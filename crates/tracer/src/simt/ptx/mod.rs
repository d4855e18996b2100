//! PTX as a second front end: a kernel of CUDA, Triton or any other compiler becomes [`Ir`](super::ir::Ir), as WGSL does.
//!
//! [`text`], [`parse`] and [`body`] read a [`module`]; [`flow`] finds its blocks and loops; [`registers`] finds which registers are written once and
//! where addresses come from; [`lower`] walks the structure and lowers each instruction, by its kind: [`operations`] says which is where.
//!
//! A 64-bit register is two of the IR's. An address is a number, too: its high word names the buffer, its low word the byte in it
//! ([`addresses`]). Addresses that are a parameter and a sum of indices stay sums, so that the tracer computes them once per warp.

mod addresses;
mod arithmetic;
mod atomics;
mod bits;
mod body;
mod calls;
mod carry;
mod compare;
mod convert;
mod flow;
mod halves;
mod lanes;
mod lines;
mod lower;
mod memory;
mod module;
mod operations;
mod outcries;
mod parameters;
mod parse;
mod rare;
mod registers;
mod specials;
mod spins;
mod structure;
mod text;
mod variables;

use warpbook_base::diag::{Diagnostic, Place};
use warpbook_base::tensor::Tensor;

use super::ir::Ir;
use super::program::Binding;
use crate::dispatch::Argument;

/// A kernel in PTX with all that a launch of it gives.
pub struct Ptx<'a> {
    /// The name of the PTX's file in messages.
    pub file: &'a str,
    /// The PTX.
    pub text: &'a str,
    /// The kernel's name.
    pub entry: &'a str,
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
    /// By parameter.
    pub arguments: &'a [Argument],
    /// The line at which a line of a source file, as `.loc` names it, is shown; None if it is not shown.
    pub source: &'a (dyn Fn(&str, u32) -> Option<u32> + Sync),
}

/// A parameter as the kernel declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the PTX.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u32,
    /// Whether the kernel uses it as an address.
    pub is_pointer: bool,
    /// How PTX names its type, such as `u32`; of a pointer that of its first access.
    pub ty: String,
}

/// A variable of the module that a kernel uses, whose contents a launch may give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleVariable {
    /// Its name in the source.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it is in constant memory, which only the host writes.
    pub is_constant: bool,
    /// Whether the module gives it a first value.
    pub has_value: bool,
}

/// The result of lowering.
pub(super) struct Lowered {
    pub ir: Ir,
    pub bindings: Vec<Binding>,
    /// The module's variables, each with its first contents, after the bindings.
    pub own: Vec<(Binding, Tensor)>,
}

/// The names of the kernels in a PTX file, in order.
///
/// # Errors
/// Invalid text, with its line.
pub fn entries(file: &str, text: &str) -> Result<Vec<String>, Diagnostic> {
    parse::entries(file, text)
}

/// The parameters of the kernel `entry`.
///
/// # Errors
/// Invalid text, with its line; a kernel that does not exist.
pub fn parameters(file: &str, text: &str, entry: &str) -> Result<Vec<Parameter>, Diagnostic> {
    let kernel = parse::declared(file, text, entry)?;
    Ok(addresses::parameters(&kernel))
}

/// The variables of the module that the kernel `entry` uses.
///
/// # Errors
/// Invalid text, with its line; a kernel that does not exist.
pub fn module_variables(file: &str, text: &str, entry: &str) -> Result<Vec<ModuleVariable>, Diagnostic> {
    let kernel = parse::declared(file, text, entry)?;
    Ok(variables::of_module(&kernel))
}

/// Lowers a kernel.
pub(super) fn lower(ptx: &Ptx<'_>) -> Result<Lowered, Diagnostic> {
    lower_here(ptx).map_err(|error| with_line_of_source(error, ptx))
}

fn lower_here(ptx: &Ptx<'_>) -> Result<Lowered, Diagnostic> {
    let kernel = parse::kernel(ptx.file, ptx.text, ptx.entry, ptx.source)?;
    let flow = flow::flow(ptx.file, &kernel)?;
    lower::lower(ptx, &kernel, &flow)
}

/// Adds the line of the source to an error at a line of the PTX, where the text has one.
fn with_line_of_source(mut error: Diagnostic, ptx: &Ptx<'_>) -> Diagnostic {
    let Some(place) = &error.place else { return error };
    let line = lines::line_of_source(ptx.text, place.line, ptx.source);
    if let Some(line) = line {
        error.message.push_str(&format!(" (line {line} of the source)"));
    }
    error
}

/// The same, at a line of the PTX.
fn at_line(diagnostic: Diagnostic, file: &str, line: u32) -> Diagnostic {
    diagnostic.in_place(&Place { file: file.to_owned(), line, column: 1 })
}
