//! PTX as a second front end: a kernel of CUDA, Triton or any other compiler becomes [`Ir`](super::ir::Ir), as WGSL does.
//!
//! [`text`], [`parse`] and [`body`] read a [`module`]; [`flow`] finds its blocks and loops; [`registers`] finds which registers are written once and
//! where addresses come from; [`lower`] walks the structure. [`table`] has the operation of each instruction; [`operations`] reads its
//! operands and writes its result.
//!
//! A 64-bit register is two of the IR's. An address is a number, too: its high word names the buffer, its low word the byte in it
//! ([`addresses`]). Addresses that are a parameter and a sum of indices stay sums, so that the tracer computes them once per warp.

mod addresses;
pub use addresses::{POINTEE, address_of_binding};
mod arithmetic;
mod asynchronous;
mod atomics;
mod bits;
mod body;
mod calls;
mod carry;
mod compare;
mod convert;
mod directed;
mod eights;
mod flow;
mod functions;
mod halves;
mod hopper;
mod inlined;
mod joined;
mod lanes;
mod leaving;
mod lines;
mod lower;
mod matrices;
mod memory;
mod module;
mod moves;
mod operations;
mod outcries;
mod parameters;
mod parse;
mod rare;
mod registers;
mod repeated;
mod specials;
mod spins;
mod structure;
mod table;
mod target;
mod text;
mod variables;
mod workspace;

use warpbook_base::diag::{Diagnostic, Place};
use warpbook_base::half;
use warpbook_base::tensor::Tensor;

use super::binding::Binding;
use super::ir::Ir;
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

impl Parameter {
    /// The bytes of a value, lowest first: a number of its type, `true`, `false`, or its bytes as `hex:0a0b…`. None if it is no such
    /// value. PTX does not keep the sign of C's integers, so that both kinds are taken.
    #[must_use]
    pub fn encode(&self, value: &str) -> Option<Vec<u8>> {
        let size = self.bytes as usize;
        if let Some(hex) = value.strip_prefix("hex:") {
            let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
            let byte = |pair: &[u32]| u8::try_from(pair.iter().fold(0, |byte, d| byte << 4 | d)).ok();
            let bytes = digits.chunks(2).map(byte).collect::<Option<Vec<u8>>>()?;
            return (digits.len() == 2 * size).then_some(bytes);
        }
        let whole = |low: i128, high: i128| {
            let number = value.parse::<i128>().ok().filter(|n| (low..=high).contains(n))?;
            Some(number.to_le_bytes()[..size].to_vec())
        };
        match (self.ty.as_str(), size) {
            ("f32", 4) => value.parse::<f32>().ok().map(|v| v.to_le_bytes().to_vec()),
            ("f16", 2) => value.parse::<f32>().ok().map(|v| half::f32_to_f16(v).to_le_bytes().to_vec()),
            ("bf16", 2) => value.parse::<f32>().ok().map(|v| half::f32_to_bf16(v).to_le_bytes().to_vec()),
            ("f64", 8) => value.parse::<f64>().ok().map(|v| v.to_le_bytes().to_vec()),
            // A structure's bytes are no number.
            ("b8", 2..) => None,
            (_, 1 | 2 | 4 | 8) => {
                let bits = 8 * self.bytes;
                match value {
                    "true" => Some(1_u64.to_le_bytes()[..size].to_vec()),
                    "false" => Some(vec![0; size]),
                    _ => whole(-(1 << (bits - 1)), (1 << bits) - 1),
                }
            }
            _ => None,
        }
    }

    /// Its type in words: of a struct its size.
    #[must_use]
    pub fn type_words(&self) -> String {
        match self.ty.as_str() {
            "b8" if self.bytes > 8 || !self.bytes.is_power_of_two() => format!("{} bytes", self.bytes),
            ty => ty.to_owned(),
        }
    }
}

/// A kernel's name as its source has it: C++ adds its length before and its types after (`_Z3addPfi`).
#[must_use]
pub fn source_name(entry: &str) -> &str {
    let Some(mut rest) = entry.strip_prefix("_Z") else { return entry };
    // Of a name within namespaces the last part.
    rest = rest.strip_prefix('N').unwrap_or(rest);
    let mut last = entry;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length = rest[..digits].parse::<usize>().unwrap_or(0);
        match rest.get(digits..digits.saturating_add(length)).filter(|name| !name.is_empty()) {
            Some(name) => (last, rest) = (name, &rest[digits + length..]),
            None => return last,
        }
        if !entry.starts_with("_ZN") {
            return last;
        }
    }
}

/// The words before the name, in the PTX, of the instance of a template that it was compiled for, in its last line.
pub const INSTANCE: &str = "// instance: ";

/// The kernel that is called `wanted` in the PTX or in its source; of an instance of a template, the one that the PTX says. None if there is none, or several in the source.
#[must_use]
pub fn entry_named(text: &str, wanted: &str) -> Option<String> {
    if wanted.contains('<') {
        return text.lines().last()?.strip_prefix(INSTANCE).map(str::to_owned);
    }
    let names: Vec<&str> = text
        .match_indices(".entry")
        .filter_map(|(at, word)| text[at + word.len()..].split(['(', '\n', '{']).next())
        .map(str::trim)
        .collect();
    let by_source = || {
        let mut found = names.iter().filter(|name| source_name(name) == wanted);
        found.next().filter(|_| found.next().is_none())
    };
    names.iter().find(|name| **name == wanted).or_else(by_source).map(|name| (*name).to_owned())
}

/// The declaration of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The threads of a block in x, y, z that it was compiled for; None if it takes any.
    pub block: Option<[u32; 3]>,
    /// Whether it uses shared memory whose size the launch gives.
    pub has_dynamic_shared: bool,
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

/// The signature of the kernel `entry`.
///
/// # Errors
/// Invalid text, with its line; a kernel that does not exist.
pub fn signature(file: &str, text: &str, entry: &str) -> Result<Signature, Diagnostic> {
    let kernel = inlined::declared(file, text, entry)?;
    let has_dynamic_shared = variables::has_dynamic_shared(&kernel);
    Ok(Signature { block: kernel.block, parameters: addresses::parameters(&kernel), has_dynamic_shared })
}

/// The variables of the module that the kernel `entry` uses.
///
/// # Errors
/// Invalid text, with its line; a kernel that does not exist.
pub fn module_variables(file: &str, text: &str, entry: &str) -> Result<Vec<ModuleVariable>, Diagnostic> {
    let kernel = inlined::declared(file, text, entry)?;
    Ok(variables::of_module(&kernel))
}

/// Lowers a kernel.
pub(super) fn lower(ptx: &Ptx<'_>) -> Result<Lowered, Diagnostic> {
    lower_here(ptx).map_err(|error| with_line_of_source(error, ptx))
}

fn lower_here(ptx: &Ptx<'_>) -> Result<Lowered, Diagnostic> {
    let mut kernel = inlined::kernel(ptx.file, ptx.text, ptx.entry, ptx.source)?;
    repeated::drop_repeated(&mut kernel);
    joined::join_loads(&mut kernel);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernels_name_is_the_last_part_of_its_own() {
        let names =
            [("_Z5scalePff", "scale"), ("_ZN4math3gpu5scaleEPff", "scale"), ("_Z1kIiEvPT_", "k"), ("plain", "plain")];
        for (entry, name) in names {
            assert_eq!(source_name(entry), name);
        }
        assert_eq!([source_name("_Z9k"), source_name("_ZN"), source_name("_Z")], ["_Z9k", "_ZN", "_Z"]);
    }

    #[test]
    fn values_have_the_size_of_their_type() {
        let of = |ty: &str, bytes: u32| Parameter { name: String::new(), bytes, is_pointer: false, ty: ty.to_owned() };
        assert_eq!(of("u32", 4).encode("-1"), Some(vec![255; 4]));
        assert_eq!(of("u32", 4).encode("4294967296"), None);
        assert_eq!(of("u32", 4).encode("1.5"), None);
        assert_eq!(of("f32", 4).encode("1.5"), Some(1.5_f32.to_le_bytes().to_vec()));
        assert_eq!(of("u8", 1).encode("true"), Some(vec![1]));
        assert_eq!(of("b8", 12).encode("3"), None);
        assert_eq!(of("b8", 3).encode("hex:0a0b0c"), Some(vec![10, 11, 12]));
        assert_eq!(of("b8", 3).encode("hex:0a0b0"), None);
    }

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(source_name("_Z3addPfi"), "add");
        assert_eq!(source_name("add"), "add");
        assert_eq!(source_name("_Zadd"), "_Zadd");
        assert_eq!(source_name("_Z99add"), "_Z99add");
        let text =
            ".visible .entry _Z3addPfi(\n)\n{ }\n.entry twice\n{ }\n.entry _Z5twicei()\n{ }\n.entry _Z5twicef(){ }";
        assert_eq!(entry_named(text, "add").as_deref(), Some("_Z3addPfi"));
        assert_eq!(entry_named(text, "twice").as_deref(), Some("twice"));
        assert_eq!(entry_named(text, "_Z5twicei").as_deref(), Some("_Z5twicei"));
        assert_eq!(entry_named(&text.replace(".entry twice", ".entry other"), "twice"), None);
    }
}
