//! The job of a kernel in a .cu or .ptx file: what it takes, what is given, and its PTX.

use super::devices::Devices;
use super::shader_file::{Target, TraceOptions, begin, sized, spec};
use super::signature::{Declared, signature};
use crate::base::diag::{Diagnostic, nearest};
use crate::base::{files, parts};
use crate::gpu::simt::assemble;
use crate::job::{Argument, Assembled, Binding, Blame, Code, CudaLaunch, Grid, Job, Launch, Twin, WorkgroupShape};
use crate::simt::{self, ModuleVariable, Parameter};

/// A kernel's parameter with the name that people know it by.
struct Named {
    name: String,
    parameter: Parameter,
    declared: Option<Declared>,
}

/// The job of the text of a .cu or .ptx file.
///
/// # Errors
/// What is wrong with the file, or missing or wrong among what is given: all problems.
pub(super) fn of_text(
    devices: &Devices,
    target: &str,
    text: String,
    options: &TraceOptions,
) -> Result<Target, Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    let (twin, ptx) = if target.ends_with(".cu") {
        let source = parts::compose_on_disk(target, text).map_err(one)?;
        let ptx = compiled(devices, target, &source, options).map_err(one)?;
        (Twin { file: target.to_owned(), source: source.into(), entry: String::new(), shipped: None }, ptx)
    } else {
        let (file, source) = match &options.source {
            None => (target.to_owned(), text.clone()),
            Some(path) => {
                let file = path.display().to_string();
                let source = files::read_text(path).map_err(|error| {
                    one(Diagnostic::error(format!("cannot read {file}: {error}"))
                        .hint("give the source of the PTX, or leave --source out"))
                })?;
                (file, source)
            }
        };
        (Twin { file, source: source.into(), entry: String::new(), shipped: None }, text)
    };
    let entry = pick(target, &ptx, options.entry.as_deref()).map_err(one)?;
    let twin = Twin { entry, ..twin };
    let named = parameters(target, &ptx, &twin).map_err(one)?;
    let missing = missing_shape(options);
    let (mut arguments, problems) = arguments(&twin, &named, options);
    let variables = simt::ptx_variables(target, &ptx, &twin.entry).map_err(one)?;
    let is_given = |variable: &&ModuleVariable| options.buffers.iter().any(|(name, ..)| *name == variable.name);
    let (given, others): (Vec<_>, Vec<_>) = variables.iter().partition(is_given);
    arguments.extend(given.into_iter().map(|variable| Argument::Buffer(variable.name.clone())));
    let problems: Vec<Diagnostic> = missing.into_iter().chain(problems).map(|p| p.in_file(target)).collect();
    let (Some(grid), Some(block), true) = (options.grid, options.block, problems.is_empty()) else {
        return Err(problems);
    };
    let shown = shown_name(&twin.entry);
    let assembled = Assembled { twin, ptx: ptx.into(), block, shared_bytes: options.shared_bytes, arguments };
    let program = assemble(&assembled)?;
    let mut bindings = program.bindings().to_vec();
    for binding in &mut bindings {
        let typed = options.types.iter().find(|(name, _)| *name == binding.name).map(|(_, elem)| *elem);
        let declared = named.iter().find(|n| n.name == binding.name).and_then(|n| n.declared.as_ref()?.elem);
        binding.elem = typed.or(declared).unwrap_or(binding.elem);
        // A variable of the module has a size of its own.
        binding.stride = binding.stride.map(|_| u32::try_from(binding.elem.bytes()).unwrap_or(4));
    }
    let buffers = sized(target, &bindings, options)?;
    let of = |(buffer, b): (usize, &simt::Binding)| Binding {
        name: b.name.clone(),
        buffer,
        group: b.group,
        binding: b.binding,
        kind: b.kind,
    };
    let launch = Launch {
        kernel: shown,
        code: Code::Ptx(assembled),
        bindings: bindings.iter().enumerate().map(of).collect(),
        grid: Grid::Fixed(grid),
        workgroup: Some(WorkgroupShape { size: block, shared_bytes: program.shared_bytes() }),
        library: None,
        blame: Blame::default(),
    };
    let spec = spec(options);
    let mut job = Job { seed: options.seed, trace: Some(spec), ..Job::of(launch, buffers) };
    let notes = begin(&program, &mut job, options)?;
    let warnings = others.into_iter().filter(|variable| variable.is_constant && !variable.has_value).map(|variable| {
        let name = &variable.name;
        let message = format!("`{name}` is in constant memory, which the host fills: here it holds zeros");
        Diagnostic::warning(message)
            .hint(format!("give its contents by --buffer {name}=1:TYPE:INIT; its size is the module's"))
    });
    Ok(Target { job, pass: Some(0), needs: None, warnings: warnings.collect(), notes })
}

/// The PTX of a .cu file.
fn compiled(devices: &Devices, file: &str, source: &str, options: &TraceOptions) -> Result<String, Diagnostic> {
    let twin = Twin { file: file.to_owned(), source: source.into(), entry: String::new(), shipped: None };
    let launch = CudaLaunch { defines: options.constants.clone(), ..CudaLaunch::default() };
    let launch = Launch {
        kernel: file.to_owned(),
        code: Code::Cuda { twin, constants: Vec::new(), launch },
        bindings: Vec::new(),
        grid: Grid::Fixed([1; 3]),
        workgroup: None,
        library: None,
        blame: Blame::default(),
    };
    let mut ptx = devices.assemble(&Job::of(launch, Vec::new()))?;
    Ok(ptx.pop().unwrap_or_default())
}

/// A kernel's name as its source has it: C++ adds its length before and its types after (`_Z3addPfi`).
fn shown_name(entry: &str) -> String {
    let Some(rest) = entry.strip_prefix("_Z") else { return entry.to_owned() };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length = rest[..digits].parse::<usize>().unwrap_or(0);
    rest.get(digits..digits + length).filter(|name| !name.is_empty()).unwrap_or(entry).to_owned()
}

fn pick(file: &str, ptx: &str, wanted: Option<&str>) -> Result<String, Diagnostic> {
    let entries = simt::ptx_entries(file, ptx)?;
    let names: Vec<String> = entries.iter().map(|entry| shown_name(entry)).collect();
    let failed = |message: String, hint: String| Err(Diagnostic::error(message).in_file(file).hint(hint));
    let listed = || format!("choose one with --entry: {}", names.join(", "));
    match (wanted, entries.as_slice()) {
        (_, []) => failed(
            "there is no kernel in this file".to_owned(),
            "a kernel is a __global__ void function; of a template only instances are compiled".to_owned(),
        ),
        (None, [only]) => Ok(only.clone()),
        (None, _) => failed("there are several kernels".to_owned(), listed()),
        (Some(wanted), _) => {
            let mut found = entries.iter().zip(&names).filter(|(entry, name)| *entry == wanted || *name == wanted);
            match (found.next(), found.next()) {
                (Some((entry, _)), None) => Ok(entry.clone()),
                (Some(_), Some(_)) => failed(
                    format!("several kernels are called `{wanted}`"),
                    format!("choose one with --entry: {}", entries.join(", ")),
                ),
                (None, _) => match nearest(wanted, names.iter().map(String::as_str)) {
                    Some(near) => failed(format!("there is no kernel `{wanted}`"), format!("did you mean `{near}`?")),
                    None => failed(format!("there is no kernel `{wanted}`"), listed()),
                },
            }
        }
    }
}

/// The parameters of a kernel, by the names of its source where that declares as many.
fn parameters(file: &str, ptx: &str, twin: &Twin) -> Result<Vec<Named>, Diagnostic> {
    let parameters = simt::ptx_parameters(file, ptx, &twin.entry)?;
    let declared = signature(&twin.source, &shown_name(&twin.entry)).unwrap_or_default();
    // Triton adds parameters of its own at the end.
    let fits = declared.len() == parameters.len() || (twin.file.ends_with(".py") && declared.len() <= parameters.len());
    let each = parameters.into_iter().enumerate().map(|(n, parameter)| {
        let declared = declared.get(n).filter(|_| fits).cloned();
        let name = declared.as_ref().map_or_else(|| format!("param_{n}"), |declared| declared.name.clone());
        Named { name, parameter, declared }
    });
    Ok(each.collect())
}

fn missing_shape(options: &TraceOptions) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    if options.grid.is_none() {
        let problem = Diagnostic::error("a file needs a grid");
        problems.push(problem.hint("add --grid X[,Y[,Z]]: blocks in each dimension"));
    }
    if options.block.is_none() {
        let problem = Diagnostic::error("a kernel in CUDA or PTX needs a block size");
        problems.push(problem.hint("add --block X[,Y[,Z]]: threads in each dimension"));
    }
    problems
}

/// The kernel's arguments, with what is missing or wrong.
fn arguments(twin: &Twin, named: &[Named], options: &TraceOptions) -> (Vec<Argument>, Vec<Diagnostic>) {
    let (mut arguments, mut problems) = (Vec::new(), Vec::new());
    let entry = shown_name(&twin.entry);
    for (name, _) in &options.arguments {
        match named.iter().find(|n| n.name == *name) {
            Some(n) if n.parameter.is_pointer => {
                let problem = Diagnostic::error(format!("`{name}` is a pointer, and takes a buffer"));
                problems.push(problem.hint(format!("give --buffer {name}=COUNT instead")));
            }
            Some(_) => {}
            None => {
                let names: Vec<&str> = named.iter().map(|n| n.name.as_str()).collect();
                let hint = match nearest(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it takes: {}", names.join(", ")),
                };
                problems.push(Diagnostic::error(format!("`{entry}` takes no argument `{name}`")).hint(hint));
            }
        }
    }
    for n in named {
        let given = options.arguments.iter().filter(|(name, _)| *name == n.name).collect::<Vec<_>>();
        let is_buffer =
            n.parameter.bytes == 8 && (n.parameter.is_pointer || options.buffers.iter().any(|(b, ..)| *b == n.name));
        let ty = type_words(&n.parameter);
        match (is_buffer, given.as_slice()) {
            (true, _) => arguments.push(Argument::Buffer(n.name.clone())),
            // Triton passes two pointers of its own that kernels rarely follow.
            (false, []) if n.declared.is_none() && twin.file.ends_with(".py") => {
                arguments.push(Argument::Value(vec![0; n.parameter.bytes as usize]));
            }
            (false, []) => {
                let problem = Diagnostic::error(format!("`{entry}` needs a value for `{}` ({ty})", n.name));
                problems.push(problem.hint(format!("add --arg {}=VALUE", n.name)));
            }
            (false, [(_, value)]) => match bytes(&n.parameter, value) {
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

fn type_words(parameter: &Parameter) -> String {
    match parameter.ty.as_str() {
        "b8" if parameter.bytes > 8 || !parameter.bytes.is_power_of_two() => format!("{} bytes", parameter.bytes),
        ty => ty.to_owned(),
    }
}

/// The bytes of a value of a parameter's type; None if it is none.
fn bytes(parameter: &Parameter, value: &str) -> Option<Vec<u8>> {
    let size = parameter.bytes as usize;
    if let Some(hex) = value.strip_prefix("hex:") {
        let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
        let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, d| byte << 4 | d) as u8).collect();
        return (digits.len() == 2 * size).then_some(bytes);
    }
    let fits = |low: i128, high: i128| {
        let number = value.parse::<i128>().ok().filter(|n| (low..=high).contains(n))?;
        Some(number.to_le_bytes()[..size].to_vec())
    };
    match (parameter.ty.as_str(), size) {
        ("f32", 4) => value.parse::<f32>().ok().map(|v| v.to_le_bytes().to_vec()),
        ("f64", 8) => value.parse::<f64>().ok().map(|v| v.to_le_bytes().to_vec()),
        // PTX does not keep the sign of C's integers.
        (_, 1 | 2 | 4 | 8) => {
            let bits = 8 * u32::try_from(size).ok()?;
            match value {
                "true" => fits(0, 1).or(Some(1_u64.to_le_bytes()[..size].to_vec())),
                "false" => Some(vec![0; size]),
                _ => fits(-(1 << (bits - 1)), (1 << bits) - 1),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_size_of_their_type() {
        let of = |ty: &str, bytes: u32| Parameter { name: String::new(), bytes, is_pointer: false, ty: ty.to_owned() };
        assert_eq!(bytes(&of("u32", 4), "-1"), Some(vec![255; 4]));
        assert_eq!(bytes(&of("u32", 4), "4294967296"), None);
        assert_eq!(bytes(&of("u32", 4), "1.5"), None);
        assert_eq!(bytes(&of("f32", 4), "1.5"), Some(1.5_f32.to_le_bytes().to_vec()));
        assert_eq!(bytes(&of("u8", 1), "true"), Some(vec![1]));
        assert_eq!(bytes(&of("b8", 12), "3"), None);
        assert_eq!(bytes(&of("b8", 3), "hex:0a0b0c"), Some(vec![10, 11, 12]));
        assert_eq!(bytes(&of("b8", 3), "hex:0a0b0"), None);
    }

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(shown_name("_Z3addPfi"), "add");
        assert_eq!(shown_name("add"), "add");
        assert_eq!(shown_name("_Zadd"), "_Zadd");
        assert_eq!(shown_name("_Z99add"), "_Z99add");
    }
}
