//! Buffers that a kernel reaches by the pointers in another one: an array of pointers, as `float** rows` is.

use super::cuda_named::Named;
use super::pointee::Pointee;
use super::trace_options::TraceOptions;
use crate::base::diag::Diagnostic;
use crate::job::{Argument, BufferSpec, Content};
use crate::simt::{self, POINTEE};

/// The names of the buffers that only pointers in buffers lead to, each once.
fn names(options: &TraceOptions) -> Vec<&String> {
    let mut names: Vec<&String> = Vec::new();
    for name in options.pointers.iter().flat_map(|(_, names)| names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A kernel's PTX with a parameter more for each buffer that pointers lead to, and the arguments for these; with the options, to which sizes
/// and types are added.
///
/// # Errors
/// A name that is no pointer's, or a buffer without a size.
pub(super) fn added(
    ptx: String,
    entry: &str,
    named: &[Named],
    options: TraceOptions,
) -> Result<(String, Vec<Argument>, TraceOptions), Diagnostic> {
    if options.pointers.is_empty() {
        return Ok((ptx, Vec::new(), options));
    }
    let mut with = options.clone();
    for (name, to) in &options.pointers {
        let parameter = named.iter().find(|n| n.name == *name && n.parameter.is_pointer);
        let Some(parameter) = parameter else {
            let message = format!("--buffer {name}=@{}: `{name}` is no pointer of the kernel", to.join(","));
            let pointers = named.iter().filter(|n| n.parameter.is_pointer).map(|n| n.name.as_str());
            return Err(Diagnostic::error(message)
                .hint(format!("its pointers are: {}", pointers.collect::<Vec<_>>().join(", "))));
        };
        let elements = parameter.pointed().map_err(|stars| {
            let message = format!(
                "--buffer {name}=@[{}]: `{name}` has {stars} `*`, and an array of pointers has two",
                to.join(",")
            );
            Diagnostic::error(message).hint(format!(
                "give --buffer {name}=COUNT, or --buffer {name}=@OTHER for the buffer of another parameter"
            ))
        })?;
        if let Some(wrong) = to.iter().find(|of| of.is_empty() || named.iter().any(|n| n.name == **of)) {
            let message = format!(
                "--buffer {name}=@[{}]: `{wrong}` is no name for a buffer that only pointers lead to",
                to.join(",")
            );
            return Err(Diagnostic::error(message)
                .hint("name buffers that are no parameters, and give each its size: --buffer a=1024"));
        }
        with.buffers.push((name.clone(), to.len() as u64, crate::base::tensor::Init::Zero));
        with.types.extend(Pointee::named("u64").map(|ty| (name.clone(), ty)));
        for of in to.iter().filter(|of| !options.types.iter().any(|(known, _)| known == *of)) {
            with.types.extend(elements.map(|ty| (of.clone(), ty)));
        }
    }
    let own = names(&options).into_iter().filter(|name| !named.iter().any(|n| n.name == **name));
    let arguments: Vec<Argument> = own.map(|name| Argument::Buffer(name.clone())).collect();
    let each = (0..arguments.len()).map(|number| format!("\t.param .u64 {POINTEE}{number}"));
    let ptx = with_parameters(&ptx, entry, &each.collect::<Vec<_>>().join(",\n"));
    let ptx = ptx
        .ok_or_else(|| Diagnostic::error("this kernel's parameters are not understood, so no pointers can be given"))?;
    Ok((ptx, arguments, with))
}

/// The text with parameters behind those of the kernel.
fn with_parameters(ptx: &str, entry: &str, more: &str) -> Option<String> {
    let from = ptx.match_indices(".entry").find_map(|(at, word)| {
        let rest = ptx[at + word.len()..].trim_start();
        rest.strip_prefix(entry)?.trim_start().starts_with('(').then_some(ptx.len() - rest.len())
    })?;
    let end = from + ptx[from..].find(')')?;
    let is_first = ptx[from..end].trim_end().ends_with('(');
    let comma = if is_first || more.is_empty() { "" } else { "," };
    Some(format!("{}{comma}\n{more}\n{}", ptx[..end].trim_end(), &ptx[end..]))
}

/// Fills buffers with the addresses of others: of each binding by its place.
pub(super) fn fill(buffers: &mut [BufferSpec], bindings: &[simt::Binding], options: &TraceOptions) {
    for (name, to) in &options.pointers {
        let place = |of: &String| bindings.iter().position(|binding| binding.name == *of);
        let words = to.iter().flat_map(|of| {
            let high = place(of).and_then(|place| u32::try_from(place).ok()).map_or(0, simt::address_of_binding);
            [0, high]
        });
        let words: Vec<u32> = words.collect();
        if let Some(buffer) = buffers.iter_mut().find(|buffer| buffer.name == *name) {
            buffer.content = Content::Words(words.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_come_behind_the_kernels() {
        let ptx = ".visible .entry other(\n)\n{\n}\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n}\n";
        let more = with_parameters(ptx, "k", "\t.param .u64 p").expect("it is found");
        assert!(more.ends_with(".entry k(\n\t.param .u64 k_param_0,\n\t.param .u64 p\n)\n{\n}\n"), "{more}");
        assert!(
            with_parameters(ptx, "other", "\t.param .u64 p")
                .expect("it is found")
                .contains("other(\n\t.param .u64 p\n)")
        );
        assert_eq!(with_parameters(ptx, "missing", ""), None);
    }
}
