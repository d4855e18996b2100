//! The sizes and arguments of a launch of a kernel in CUDA or PTX, as options give them, and the errors in them.

use std::collections::BTreeSet;

use super::cuda_named::{Named, is_triton};
use super::trace_options::TraceOptions;
use crate::base::diag::{Diagnostic, nearest};
use crate::job::{Argument, Twin};
use crate::simt::{self, ModuleVariable};

/// The grid, and the threads of a block: as they are given, or as the kernel was compiled for.
///
/// # Errors
/// A missing grid or block, or a block that the kernel was not compiled for.
pub(super) fn shape(options: &TraceOptions, compiled_for: Option<[u32; 3]>) -> Result<[[u32; 3]; 2], Vec<Diagnostic>> {
    let mut problems = Vec::new();
    if options.grid.is_none() {
        let problem = Diagnostic::error("a file needs a grid");
        problems.push(problem.hint("add --grid X[,Y[,Z]]: blocks in each dimension"));
    }
    let given = options.block.or(options.warps.map(|warps| [warps.saturating_mul(32), 1, 1]));
    match (given, compiled_for) {
        (None, None) => {
            let problem = Diagnostic::error("a kernel in CUDA or PTX needs a block size");
            problems.push(problem.hint("add --block X[,Y[,Z]]: threads in each dimension; or --warps N"));
        }
        (Some(given), Some(compiled)) if given != compiled => {
            let [x, y, z] = compiled;
            let problem =
                Diagnostic::error(format!("the kernel was compiled for blocks of {x} × {y} × {z} threads alone"));
            problems.push(problem.hint(format!("leave --block and --warps out, or give --block {x},{y},{z}")));
        }
        _ => {}
    }
    match (options.grid, given.or(compiled_for)) {
        (Some(grid), Some(block)) if problems.is_empty() => Ok([grid, block]),
        _ => Err(problems),
    }
}

/// Whether a pointer is given as 0.
fn is_null(options: &TraceOptions, name: &str) -> bool {
    options.arguments.iter().any(|(given, value)| given == name && value == "0")
}

/// Whether a parameter is a member of a structure.
fn is_of(named: &Named, structure: &str) -> bool {
    named.is_member() && named.base() == structure
}

/// That no member of a structure is given, with those that it has.
fn nothing_given(entry: &str, structure: &str, named: &[Named]) -> Diagnostic {
    let members = named.iter().filter(|n| is_of(n, structure)).map(|n| match n.parameter.is_pointer {
        true => format!("--buffer {}=COUNT", n.name),
        false => format!("--arg {}=VALUE", n.name),
    });
    Diagnostic::error(format!("`{entry}` takes the structure `{structure}`, and none of its members is given"))
        .hint(format!("add those that matter, others are 0: {}", members.collect::<Vec<_>>().join(" ")))
}

/// The kernel's arguments, and the errors in them. `variables` are the module's.
pub(super) fn arguments(
    twin: &Twin,
    named: &[Named],
    variables: &[ModuleVariable],
    options: &TraceOptions,
) -> (Vec<Argument>, Vec<Diagnostic>) {
    let (mut arguments, mut problems) = (Vec::new(), Vec::new());
    let entry = simt::ptx_source_name(&twin.entry);
    for (name, value) in &options.arguments {
        match named.iter().find(|n| n.name == *name) {
            Some(n) if n.parameter.is_pointer && !is_null(options, name) => {
                let problem = Diagnostic::error(format!("`{name}` is a pointer, and takes a buffer"));
                problems.push(problem.hint(format!("give --buffer {name}=COUNT instead")));
            }
            Some(_) => {}
            None if variables.iter().any(|variable| variable.name == *name) => {
                let problem = Diagnostic::error(format!("`{value}` is no number for the variable `{name}`"));
                problems.push(problem.hint(format!("give one number for all of it, or --input {name}=FILE.npy")));
            }
            None => {
                let names: Vec<&str> = named.iter().map(|n| n.name.as_str()).collect();
                let hint = match nearest(name, names.iter().copied()) {
                    _ if named.iter().all(|n| n.declared.is_none()) => {
                        format!(
                            "it takes: {}; give the text that it was compiled from by --source FILE to use its names",
                            names.join(", ")
                        )
                    }
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it takes: {}", names.join(", ")),
                };
                problems.push(Diagnostic::error(format!("`{entry}` takes no argument `{name}`")).hint(hint));
            }
        }
    }
    for (name, other) in &options.shared {
        let is_pointer = |name: &String| named.iter().any(|n| n.name == *name && n.parameter.is_pointer);
        let is_given_size = |name: &String| options.buffers.iter().any(|(given, ..)| given == name);
        let wrong = if !is_pointer(name) || !is_pointer(other) {
            let wrong = if is_pointer(name) { other } else { name };
            Some(format!("`{wrong}` is no pointer of `{entry}`"))
        } else if options.shared.iter().any(|(shared, _)| shared == other) {
            Some(format!("`{other}` has no buffer of its own"))
        } else if is_given_size(name) {
            Some(format!("`{name}` is given a buffer of its own, too"))
        } else {
            None
        };
        let hint = "--buffer out=@x makes the pointer `out` lead to the buffer of the pointer `x`";
        problems.extend(wrong.map(|wrong| Diagnostic::error(format!("--buffer {name}=@{other}: {wrong}")).hint(hint)));
    }
    let mut structures = BTreeSet::new();
    for n in named {
        let given = options.arguments.iter().filter(|(name, _)| *name == n.name).collect::<Vec<_>>();
        let is_buffer =
            n.parameter.bytes == 8 && (n.parameter.is_pointer || options.buffers.iter().any(|(b, ..)| *b == n.name));
        let ty = n.parameter.type_words();
        let structure = n.base();
        if n.is_member() && !named.iter().any(|m| is_of(m, structure) && options.gives(&m.name)) {
            if structures.insert(structure.to_owned()) {
                problems.push(nothing_given(entry, structure, named));
            }
            continue;
        }
        if n.is_member() && !options.gives(&n.name) {
            let zeros = || Argument::Value(vec![0; n.parameter.bytes as usize]);
            arguments.push(if n.parameter.is_pointer { Argument::Null(n.name.clone()) } else { zeros() });
            continue;
        }
        if n.parameter.is_pointer && is_null(options, &n.name) {
            arguments.push(Argument::Null(n.name.clone()));
            continue;
        }
        match (is_buffer, given.as_slice()) {
            (true, _) => {
                let shared = options.shared.iter().find(|(name, _)| *name == n.name).map(|(_, other)| other);
                arguments.push(Argument::Buffer(shared.unwrap_or(&n.name).clone()));
            }
            // Triton passes two pointers of its own that kernels rarely follow.
            (false, []) if n.declared.is_none() && is_triton(twin) => {
                arguments.push(Argument::Value(vec![0; n.parameter.bytes as usize]));
            }
            (false, []) => {
                let problem = Diagnostic::error(format!("`{entry}` needs a value for `{}` ({ty})", n.name));
                let is_structure = n.parameter.encode("0").is_none();
                problems.push(problem.hint(match is_structure {
                    true => format!(
                        "it is a structure whose layout is not understood: add its bytes, lowest first, --arg {}=hex:0a0b…",
                        n.name
                    ),
                    false => format!("add --arg {}=VALUE", n.name),
                }));
            }
            (false, [(_, value)]) => match n.parameter.encode(value) {
                Some(bytes) => arguments.push(Argument::Value(bytes)),
                None => {
                    let problem = Diagnostic::error(format!("`{value}` is no value for `{}` ({ty})", n.name));
                    problems.push(problem.hint("give a number of that type, or its bytes, lowest first, as hex:0a0b…"));
                }
            },
            (false, _) => {
                let problem = Diagnostic::error(format!("`{}` is given twice", n.name));
                problems.push(problem.hint("leave one of them out"));
            }
        }
    }
    (arguments, problems)
}
