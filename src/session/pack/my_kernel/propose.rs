//! A launch proposed from a kernel's signature.

use std::path::Path;

#[cfg(feature = "cuda")]
use warpbook_cuda_file::Size;

use super::{Begins, BufferSetup, ElemName, Number, Setup, comment, members};
use crate::base::diag::Diagnostic;
use crate::base::foreign::foreign;
use crate::base::wgsl::{self, Keyword};
use crate::base::{files, parts};
use crate::gpu::simt::assemble;
use crate::job::{Argument, Assembled, BindingKind};
use crate::session::run::cuda_file::{self, Described};
use crate::session::run::devices::Devices;
#[cfg(feature = "cuda")]
use crate::session::run::launches;
use crate::session::run::pointee::Pointee;
use crate::session::run::shader_file::TraceOptions;
use crate::simt::{self, Binding, Program};

/// The threads of a block that are proposed.
const BLOCK: u32 = 256;

/// The dynamic shared memory that is proposed of a kernel that has some, in bytes: as much as each device has.
const DYNAMIC: &str = "49152";

/// The number of a buffer's elements, until it is known.
const ELEMENTS: &str = "ELEMENTS";

/// The value of a whole number that is proposed.
const WHOLE: u32 = 1024;

/// A kernel file: its text, and its kernels by name.
pub struct Kernels {
    pub text: String,
    /// The kernels' names, as their source has them.
    pub names: Vec<String>,
}

/// Reads a kernel file.
///
/// # Errors
/// A file that cannot be read, is no kernel's, or has no kernel.
pub fn kernels(devices: &Devices, file: &Path) -> Result<Kernels, Diagnostic> {
    let name = file.display().to_string();
    let ends = |end: &str| file.extension().is_some_and(|known| known == end);
    if ends("py") {
        let message = format!("{name} is Python: Triton compiles it to PTX");
        return Err(Diagnostic::error(message)
            .hint("compile it and open the .ptx; the page of the docs on CUDA has the lines for that"));
    }
    if !(ends("wgsl") || ends("ptx") || cuda_file::is_cuda(&name)) {
        return Err(Diagnostic::error(format!("{name} is no kernel's file")).hint("open a .wgsl, .cu or .ptx file"));
    }
    let text = files::read_text(file)
        .map_err(|error| Diagnostic::error(format!("cannot read {name}: {error}")).hint("open a text file"))?;
    let names = if ends("wgsl") {
        let composed = parts::compose_on_disk(&name, text.clone())?;
        let entries = simt::entry_points(&name, &composed).map_err(|problems| {
            let first = problems.into_iter().next();
            foreign(&name, &text).or(first).unwrap_or_else(|| Diagnostic::error("this is no WGSL").in_file(&name))
        })?;
        entries.into_iter().map(|entry| entry.name).collect()
    } else {
        #[cfg(feature = "cuda")]
        let mut names = launched(&name, &text)?;
        #[cfg(not(feature = "cuda"))]
        let mut names = Vec::new();
        let compiled = cuda_file::kernel_names(devices, &name, &text);
        // Where there are launches, templates may be all that there is.
        let compiled = if names.is_empty() { compiled? } else { compiled.unwrap_or_default() };
        let others: Vec<String> = compiled.into_iter().filter(|other| !names.contains(other)).collect();
        names.extend(others);
        // The kernel whose launch the file keeps is the first.
        let kept = comment::options(&text);
        let entry = kept.iter().find(|(option, _)| option == "--entry").map(|(_, entry)| entry);
        names.sort_by_key(|name| entry.is_some_and(|entry| entry != name));
        names
    };
    if names.is_empty() {
        let problem = Diagnostic::error("there is no kernel in this file").in_file(&name);
        return Err(problem.hint("a kernel is an @compute function in WGSL, and a __global__ one in CUDA C++"));
    }
    Ok(Kernels { text, names })
}

/// The kernels that a file's host code launches, each once, in their order.
#[cfg(feature = "cuda")]
fn launched(name: &str, text: &str) -> Result<Vec<String>, Diagnostic> {
    if !cuda_file::is_cuda(name) {
        return Ok(Vec::new());
    }
    let source = parts::compose_on_disk(name, text.to_owned())?;
    let mut names: Vec<String> = Vec::new();
    for launch in launches::listed(&source, &[]) {
        if !names.contains(&launch.kernel) {
            names.push(launch.kernel);
        }
    }
    Ok(names)
}

/// The launch of the kernel `entry` of a file, as its host code gives it, and else as its signature suggests it.
pub fn propose(
    devices: &Devices,
    file: &Path,
    text: &str,
    entry: &str,
    source: Option<&Path>,
) -> Result<Setup, Vec<Diagnostic>> {
    let name = file.display().to_string();
    let setup = match file.extension().is_some_and(|end| end == "wgsl") {
        true => of_wgsl(&name, text, entry)?,
        false => of_cuda(devices, &name, text, entry, source)?,
    };
    let sizes: Vec<&str> = setup.numbers.iter().filter(|n| n.is_whole).map(|n| n.name.as_str()).collect();
    // A single size is that of all; of several, the buffers' lengths are products that only the author knows.
    let count = match sizes.as_slice() {
        [only] => (*only).to_owned(),
        _ => WHOLE.to_string(),
    };
    let mut setup =
        Setup { file: file.to_owned(), source: source.map(Path::to_owned), entry: entry.to_owned(), ..setup };
    #[cfg(feature = "cuda")]
    if cuda_file::is_cuda(&name) {
        as_launched(&mut setup, &name, text).map_err(|problem| vec![problem])?;
    }
    if cuda_file::is_cuda(&name) {
        comment::fill(&mut setup, &comment::options(text));
    }
    let blocks = match (setup.block, setup.is_block_fixed) {
        (None, _) => format!("ceil({count} / 64)"),
        (Some(_), false) => format!("ceil({count} / block_x)"),
        // A kernel of Triton's says nothing about how much one of its programs does.
        (Some(_), true) => "1".to_owned(),
    };
    if setup.grid[0].is_empty() {
        setup.grid = [blocks, "1".to_owned(), "1".to_owned()];
    }
    if setup.shared.is_empty() {
        "0".clone_into(&mut setup.shared);
    }
    for buffer in &mut setup.buffers {
        buffer.count = match buffer.count.as_str() {
            "" => count.clone(),
            // An expression of the elements.
            known => known.replace(ELEMENTS, &count),
        };
    }
    Ok(setup)
}

/// Fills in what the first launch of the kernel in the file's host code gives.
#[cfg(feature = "cuda")]
fn as_launched(setup: &mut Setup, name: &str, text: &str) -> Result<(), Diagnostic> {
    let source = parts::compose_on_disk(name, text.to_owned())?;
    let (mut lets, mut number) = (Vec::new(), None);
    for (option, value) in comment::options(text) {
        match (option.as_str(), value.rsplit_once('=')) {
            ("--let", Some((of, value))) => lets.extend(value.parse().ok().map(|value| (of.to_owned(), value))),
            ("--launch", _) => number = value.parse::<usize>().ok(),
            _ => {}
        }
    }
    let all = launches::listed(&source, &lets);
    let kept = number.and_then(|number| all.get(number.checked_sub(1)?)).filter(|launch| launch.kernel == setup.entry);
    let Some(launch) = kept.or_else(|| all.iter().find(|launch| launch.kernel == setup.entry)) else { return Ok(()) };
    if let Ok(grid) = &launch.grid.value {
        setup.grid = grid.map(|extent| extent.max(1).to_string());
    }
    if let (Ok(block), false) = (&launch.block.value, setup.is_block_fixed) {
        setup.block = Some(block.map(|threads| u32::try_from(threads).unwrap_or(1).clamp(1, 1024)));
    }
    if let Ok(bytes) = launch.shared.value {
        setup.shared = bytes.to_string();
    }
    for (parameter, argument) in setup.order.iter().zip(&launch.arguments) {
        let number = setup.numbers.iter_mut().find(|number| number.name == *parameter);
        if let (Some(number), Ok(value)) = (number, &argument.number) {
            number.value = value.to_string();
        }
        let buffer = setup.buffers.iter_mut().find(|buffer| buffer.name == *parameter);
        let size = argument.buffer.as_ref().and_then(|of| of.size.as_ref().ok());
        if let (Some(buffer), Some(size)) = (buffer, size) {
            let each = i64::from(buffer.elem.bytes());
            buffer.count = match size {
                Size::Bytes(bytes) => (bytes / each).max(1).to_string(),
                Size::Elements(count) if buffer.count.is_empty() => count.to_string(),
                Size::Elements(count) => buffer.count.replace(ELEMENTS, &count.to_string()),
            };
            // Integers are mostly places in other buffers.
            if matches!(buffer.elem, ElemName::I32 | ElemName::U32) {
                buffer.begins = Begins::Zero;
            }
        }
    }
    Ok(())
}

fn of_wgsl(name: &str, text: &str, entry: &str) -> Result<Setup, Vec<Diagnostic>> {
    let source = parts::compose_on_disk(name, text.to_owned()).map_err(|problem| vec![problem])?;
    let declared = wgsl::declared(&source);
    let overrides = declared.iter().filter(|constant| constant.keyword == Keyword::Override);
    let numbers: Vec<Number> = overrides
        .map(|constant| {
            let given = constant
                .value
                .clone()
                .map(|range| source[range].trim_end_matches(['u', 'i', 'f', 'h']).trim().to_owned());
            let is_whole = matches!(constant.ty, Some("u32" | "i32")) || constant.ty.is_none();
            let value = given.filter(|text| text.parse::<f64>().is_ok()).unwrap_or_else(|| WHOLE.to_string());
            let ty = constant.ty.unwrap_or("number").to_owned();
            Number { name: constant.name.to_owned(), ty, is_whole, value, is_compilers: false }
        })
        .collect();
    let given: Vec<(String, f64)> =
        numbers.iter().filter_map(|n| Some((n.name.clone(), n.value.parse().ok()?))).collect();
    let settled = wgsl::settle(name, &source, &given)?;
    let program = Program::compile(name, &settled.source, entry, &settled.overrides)?;
    let buffers = program.bindings().iter().map(|binding| buffer(binding, ElemName::of(binding.elem)));
    Ok(Setup { buffers: buffers.collect(), numbers, ..Setup::default() })
}

fn of_cuda(
    devices: &Devices,
    name: &str,
    text: &str,
    entry: &str,
    source: Option<&Path>,
) -> Result<Setup, Vec<Diagnostic>> {
    let (entry, source) = (Some(entry.to_owned()), source.map(Path::to_owned));
    let options = TraceOptions { entry, source: source.clone(), ..TraceOptions::default() };
    let described = cuda_file::describe(devices, name, text.to_owned(), &options);
    let Described { twin, ptx, named, block, .. } = described.map_err(|problem| vec![problem])?;
    let arguments = named.iter().map(|n| match n.parameter.is_pointer {
        true => Argument::Buffer(n.name.clone()),
        false => Argument::Value(vec![0; n.parameter.bytes as usize]),
    });
    let threads = block.unwrap_or([BLOCK, 1, 1]);
    let assembled =
        Assembled { twin, ptx: ptx.into(), block: threads, shared_bytes: 48 << 10, arguments: arguments.collect() };
    let program = assemble(&assembled)?;
    let bindings = program.bindings();
    let pointee = |binding: &Binding| cuda_file::usual_pointee(&assembled.twin, &named, binding);
    let is_triton = source.is_some_and(|source| source.extension().is_some_and(|end| end == "py"));
    let numbers = named.iter().filter(|n| !n.parameter.is_pointer).map(|n| {
        let ty = n.parameter.type_words();
        let is_compilers = is_triton && !n.is_declared();
        let is_whole = !ty.starts_with('f') && n.parameter.bytes <= 8 && !is_compilers;
        let value = match (is_compilers, is_whole) {
            (true, _) => "0".to_owned(),
            (false, true) => WHOLE.to_string(),
            (false, false) => "1".to_owned(),
        };
        Number { name: n.name.clone(), ty, is_whole, value, is_compilers }
    });
    // How much of it there is, PTX does not say.
    let shared = if assembled.ptx.contains(".extern .shared") { DYNAMIC } else { "0" };
    Ok(Setup {
        shared: shared.to_owned(),
        numbers: numbers.collect(),
        // Pointers that the kernel never follows have no binding.
        buffers: named
            .iter()
            .filter(|n| n.parameter.is_pointer)
            .map(|n| match bindings.iter().find(|binding| binding.name == n.name) {
                Some(binding) => {
                    let pointee = pointee(binding);
                    BufferSetup { count: per_element(pointee), ..buffer(binding, ElemName::of(pointee.elem())) }
                }
                None => BufferSetup { name: n.name.clone(), ..BufferSetup::default() },
            })
            .collect(),
        order: named.iter().map(|n| n.name.clone()).collect(),
        block: Some(threads),
        is_block_fixed: block.is_some(),
        ..Setup::default()
    })
}

/// The numbers of a buffer of elements that a lesson's buffers do not have, as an expression of their number: a double
/// is two words. Empty where an element is a number.
fn per_element(pointee: Pointee) -> String {
    match (pointee.bytes(), pointee.elem().bytes()) {
        (bytes, each) if bytes == each => String::new(),
        (bytes, each) if bytes > each => format!("{ELEMENTS} * {}", bytes / each),
        (bytes, each) => format!("ceil({ELEMENTS} / {})", each / bytes),
    }
}

/// A buffer with what its binding says: a fixed size, and whether it is written.
fn buffer(binding: &Binding, elem: ElemName) -> BufferSetup {
    let is_written = binding.kind == BindingKind::ReadWrite;
    let fixed = binding.min_bytes / elem.bytes().max(1);
    BufferSetup {
        name: binding.name.clone(),
        elem,
        count: if binding.stride.is_none() { fixed.max(1).to_string() } else { String::new() },
        begins: if is_written || binding.kind == BindingKind::Uniform { Begins::Zero } else { Begins::Random },
        is_written,
        members: match binding.kind {
            BindingKind::Uniform => members::of(&binding.layout, &binding.name, WHOLE),
            _ => Vec::new(),
        },
    }
}
