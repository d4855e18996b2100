//! A kernel in a .cu or .ptx file: its PTX, its parameters, and the job that it is with its arguments.

use super::cuda_arguments::{arguments, shape};
pub use super::cuda_named::Named;
use super::cuda_named::is_triton;
use super::devices::Devices;
use super::pointee::Pointee;
use super::pointees;
use super::resolved::{Target, begin, sized, spec};
use super::signature::{Declared, signature};
use super::trace_options::TraceOptions;
#[cfg(feature = "cuda")]
use super::{launches, structures};
use crate::base::diag::{Diagnostic, nearest};
use crate::base::tensor::{Elem, Init};
use crate::base::{files, npy, parts};
use crate::gpu::client::NEVER;
use crate::gpu::simt::assemble;
use crate::job::{
    Argument, Assembled, Binding, Blame, BufferSpec, Code, Content, CudaLaunch, Grid, Job, Launch, Twin,
    WorkgroupShape, paged,
};
use crate::simt::{self, ModuleVariable, Parameter};

/// A kernel of a .cu or .ptx file.
pub struct Described {
    /// The text that is shown, with the kernel's name in the PTX.
    pub twin: Twin,
    pub ptx: String,
    /// The kernel's parameters, in order.
    pub named: Vec<Named>,
    /// The threads of a block that it was compiled for; None if it takes any.
    pub block: Option<[u32; 3]>,
    /// Whether it uses shared memory whose size the launch gives.
    pub has_dynamic_shared: bool,
}

/// The kernel of the text of a .cu or .ptx file that the options choose; the only one if they name none.
///
/// # Errors
/// The file cannot be read or compiled, or has no such kernel.
pub fn describe(
    devices: &Devices,
    target: &str,
    text: String,
    options: &TraceOptions,
) -> Result<Described, Diagnostic> {
    let (entry, source) = (options.entry.as_deref(), options.source.as_deref());
    // A name with arguments is an instance of a template, which is compiled for the trace.
    let instance = entry.filter(|entry| entry.contains('<') && is_cuda(target));
    let (file, source, ptx) = if is_cuda(target) {
        let source = parts::compose_on_disk(target, text)?;
        let ptx = compiled(devices, target, &source, options, instance)?;
        (target.to_owned(), source, ptx)
    } else {
        if let Some(wanted) = &options.target {
            let problem = Diagnostic::error(format!("--target {wanted} is for a .cu file")).in_file(target);
            return Err(problem.hint("leave it out: PTX names its own .target"));
        }
        let (file, source) = match source {
            None => (target.to_owned(), text.clone()),
            Some(path) => {
                let file = path.display().to_string();
                let source = files::read_text(path).map_err(|error| {
                    Diagnostic::error(format!("cannot read {file}: {error}"))
                        .hint("give the source of the PTX, or leave --source out")
                })?;
                (file, source)
            }
        };
        (file, source, text)
    };
    let of_instance = instance.and_then(|instance| simt::ptx_entry_named(&ptx, instance));
    let entry = pick(target, &ptx, of_instance.as_deref().or(entry))?;
    let twin = Twin { file, source: source.into(), entry, shipped: None };
    let simt::Signature { parameters, block, has_dynamic_shared } = simt::ptx_signature(target, &ptx, &twin.entry)?;
    #[cfg(feature = "cuda")]
    if is_cuda(target) {
        let declared = signature(&twin.source, &twin.entry).unwrap_or_default();
        let kernel = (ptx.as_str(), twin.entry.as_str(), instance);
        let is_whole = |name: &str| options.gives(name);
        if let Some(split) = structures::split(&twin.source, kernel, &parameters, &declared, &is_whole) {
            let parameters = simt::ptx_signature(target, &split.ptx, &twin.entry)?.parameters;
            let named = named(parameters, &twin, Some(split.declared));
            return Ok(Described { named, twin, ptx: split.ptx, block, has_dynamic_shared });
        }
    }
    let of_name =
        |name: &String| Declared { name: name.clone(), pointee: None, is_pointer: None, number: None, stars: None };
    let declared = options.parameters.as_ref().map(|names| names.iter().map(of_name).collect());
    Ok(Described { named: named(parameters, &twin, declared), twin, ptx, block, has_dynamic_shared })
}

/// A kernel with the options of its launch, and notes on these: where the options give no grid, the file's own launch does.
fn launched(
    devices: &Devices,
    target: &str,
    text: String,
    options: &TraceOptions,
) -> Result<(Described, TraceOptions, Vec<String>), Diagnostic> {
    #[cfg(feature = "cuda")]
    if is_cuda(target)
        && let Some(launch) = launches::chosen(target, &parts::compose_on_disk(target, text.clone())?, options)?
    {
        let options = TraceOptions { entry: Some(launch.launch.kernel.clone()), ..options.clone() };
        let described = describe(devices, target, text, &options)?;
        let (options, notes) = launches::filled(target, &launch, &described.named, &options)?;
        return Ok((described, options, notes));
    }
    Ok((describe(devices, target, text, options)?, options.clone(), Vec::new()))
}

/// The kernels of the text of a .cu or .ptx file, by their names in the source.
///
/// # Errors
/// Compile errors, or text that is no PTX.
pub fn kernel_names(devices: &Devices, target: &str, text: &str) -> Result<Vec<String>, Diagnostic> {
    let ptx = match is_cuda(target) {
        true => compiled(
            devices,
            target,
            &parts::compose_on_disk(target, text.to_owned())?,
            &TraceOptions::default(),
            None,
        )?,
        false => text.to_owned(),
    };
    let entries = simt::ptx_entries(target, &ptx)?;
    Ok(entries.iter().map(|entry| simt::ptx_source_name(entry).to_owned()).collect())
}

/// The type of a buffer's elements, where none is given: as it is declared, or as the kernel accesses it.
#[must_use]
pub fn usual_pointee(twin: &Twin, named: &[Named], binding: &simt::Binding) -> Pointee {
    let declared = named.iter().find(|n| n.name == binding.name).and_then(Named::declared_pointee);
    declared.unwrap_or(Pointee::from(match binding.elem {
        // Triton's PTX loads bits, mostly of floats.
        Elem::U32 if is_triton(twin) => Elem::F32,
        elem => elem,
    }))
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
    let (described, options, of_launch) = launched(devices, target, text, options).map_err(|problem| vec![problem])?;
    let Described { twin, ptx, named, block, has_dynamic_shared } = described;
    let variables = simt::ptx_variables(target, &ptx, &twin.entry).map_err(|problem| vec![problem])?;
    let options = &with_variables(options, &variables);
    let (ptx, pointees_of, options) =
        pointees::added(ptx, &twin.entry, &named, options.clone()).map_err(|problem| vec![problem.in_file(target)])?;
    let options = &options;
    let shape = shape(options, block);
    let (mut arguments, mut problems) = arguments(&twin, &named, &variables, options);
    arguments.extend(pointees_of);
    if has_dynamic_shared && options.shared_bytes == 0 {
        let problem = Diagnostic::error("the kernel has shared memory whose size its launch gives");
        let triton = "; the compiled Triton kernel has them as metadata.shared";
        let of_triton = if is_triton(&twin) { triton } else { "" };
        problems.push(problem.hint(format!("add --shared BYTES: of a block{of_triton}")));
    }
    let (shape, missing) = shape.map_or_else(|missing| (None, missing), |shape| (Some(shape), Vec::new()));
    let is_given = |variable: &&ModuleVariable| {
        let is_filled = options.io.input(&variable.name).is_some();
        is_filled || options.buffers.iter().any(|(name, ..)| *name == variable.name)
    };
    let (given, others): (Vec<_>, Vec<_>) = variables.iter().partition(is_given);
    arguments.extend(given.into_iter().map(|variable| Argument::Buffer(variable.name.clone())));
    let mut problems: Vec<Diagnostic> = missing.into_iter().chain(problems).map(|p| p.in_file(target)).collect();
    if problems.len() > 1 {
        problems.push(whole_command(target, &twin, &named).in_file(target));
    }
    let (Some([grid, block]), true) = (shape, problems.is_empty()) else { return Err(problems) };
    let shown = simt::ptx_source_name(&twin.entry).to_owned();
    let assembled = Assembled { twin, ptx: ptx.into(), block, shared_bytes: options.shared_bytes, arguments };
    let program = assemble(&assembled)?;
    let mut bindings = program.bindings().to_vec();
    let mut pointees = Vec::new();
    for binding in &mut bindings {
        let typed = options.types.iter().find(|(name, _)| *name == binding.name).map(|(_, pointee)| *pointee);
        let pointee = typed.unwrap_or_else(|| usual_pointee(&assembled.twin, &named, binding));
        binding.elem = pointee.elem();
        // A variable of the module has a size of its own.
        if binding.stride.is_some() {
            let bytes = u32::try_from(pointee.bytes()).unwrap_or(4);
            (binding.stride, binding.min_bytes) = (Some(bytes), bytes);
        }
        pointees.push(pointee);
    }
    let options = &with_files(options, &bindings, &pointees).map_err(|problem| vec![problem])?;
    let mut buffers = sized(target, &bindings, options)?;
    pointees::fill(&mut buffers, &bindings, options);
    let filled = fill(&mut buffers, &pointees, options).map_err(|problem| vec![problem])?;
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
    let mut notes = of_launch;
    notes.extend(begin(&program, &mut job, options)?);
    notes.extend(guessed(&named, options, &bindings));
    notes.extend(left_zero(&named, options));
    let is_shown = |name: &str| {
        let shown = options.io.prints.iter().map(|(shown, _)| shown);
        shown.chain(options.io.dumps.iter().map(|(shown, _)| shown)).any(|shown| shown == name)
    };
    for (binding, pointee) in bindings.iter().zip(&pointees).filter(|(binding, _)| is_shown(&binding.name)) {
        if pointee.numpy().is_some() {
            let (name, bytes) = (&binding.name, pointee.bytes());
            notes.push(format!("`{name}` is shown in words of 4 bytes: its elements have {bytes}"));
        }
    }
    let warnings = others.into_iter().filter(|variable| variable.is_constant && !variable.has_value).map(|variable| {
        let name = &variable.name;
        let message = format!("`{name}` is in constant memory, which the host fills: here it holds zeros");
        Diagnostic::warning(message)
            .hint(format!("give its contents by --arg {name}=VALUE, or --input {name}=FILE.npy"))
    });
    Ok(Target { job, pass: Some(0), needs: None, warnings: warnings.collect(), notes, filled, computes: Vec::new() })
}

/// The options, with numbers for variables of the module as their contents.
fn with_variables(mut options: TraceOptions, variables: &[ModuleVariable]) -> TraceOptions {
    let number = |(name, value): &(String, String)| {
        let number = value.parse::<f64>().ok()?;
        variables.iter().any(|variable| variable.name == *name).then(|| (name.clone(), 1, Init::Value(number)))
    };
    let found: Vec<_> = options.arguments.iter().filter_map(number).collect();
    options.arguments.retain(|(name, _)| !found.iter().any(|(of, ..)| of == name));
    options.buffers.extend(found);
    options
}

/// A note on the members of structures that nothing gives.
fn left_zero(named: &[Named], options: &TraceOptions) -> Option<String> {
    let left: Vec<String> =
        named.iter().filter(|n| n.is_member() && !options.gives(&n.name)).map(|n| format!("`{}`", n.name)).collect();
    let shown = match left.len() {
        0 => return None,
        1..=6 => left.join(", "),
        many => format!("{} and {} more", left[..5].join(", "), many - 5),
    };
    Some(format!(
        "these members are 0, and pointers among them lead nowhere: {shown}; give --arg NAME=VALUE or --buffer NAME=COUNT"
    ))
}

/// A note for each buffer of 16-bit numbers whose type nothing says: they are taken for `f16`, and could be `bf16`.
fn guessed<'a>(
    named: &'a [Named],
    options: &'a TraceOptions,
    bindings: &'a [simt::Binding],
) -> impl Iterator<Item = String> + 'a {
    let is_guessed = |binding: &&simt::Binding| {
        let is_given = options.types.iter().any(|(name, _)| *name == binding.name);
        let of = named.iter().find(|n| n.name == binding.name);
        binding.elem == Elem::F16 && !is_given && of.is_some_and(|n| n.declared_pointee().is_none())
    };
    bindings.iter().filter(is_guessed).map(|binding| {
        let name = &binding.name;
        format!(
            "`{name}` is taken for f16, since its type is not known here; for others give --buffer {name}=COUNT:bf16"
        )
    })
}

/// A line with all that a kernel takes, where several things are missing.
fn whole_command(target: &str, twin: &Twin, named: &[Named]) -> Diagnostic {
    let entry = simt::ptx_source_name(&twin.entry);
    let given = named.iter().filter(|n| n.is_declared() || !is_triton(twin)).map(|n| match n.parameter.is_pointer {
        true => format!("--buffer {}=COUNT", n.name),
        false => format!("--arg {}=VALUE", n.name),
    });
    let options = given.collect::<Vec<_>>().join(" ");
    Diagnostic::warning(format!("`{entry}` takes {} arguments", named.len()))
        .hint(format!("all of them: warpbook trace {target} --grid X --block X {options}"))
}

/// The options, with the sizes of buffers that files give.
fn with_files(
    options: &TraceOptions,
    bindings: &[simt::Binding],
    pointees: &[Pointee],
) -> Result<TraceOptions, Diagnostic> {
    let mut options = options.clone();
    for (binding, pointee) in bindings.iter().zip(pointees) {
        let is_sized = options.buffers.iter().any(|(name, ..)| *name == binding.name);
        let Some(file) = options.io.input(&binding.name).filter(|_| !is_sized) else { continue };
        let numbers = match pointee.numpy() {
            Some(types) => npy::raw(file, types)?.0,
            None => npy::shape(file, binding.elem)?.count(),
        };
        options.buffers.push((binding.name.clone(), numbers.div_ceil(pointee.lanes), Init::Zero));
    }
    Ok(options)
}

/// Bytes that repeat in a buffer that is too large to be held.
const REPEATED: u64 = 1 << 22;

/// Gives buffers of elements that a job's buffers do not have their contents, as words; and the names of those that a
/// file filled.
fn fill(buffers: &mut [BufferSpec], pointees: &[Pointee], options: &TraceOptions) -> Result<Vec<String>, Diagnostic> {
    let mut filled = Vec::new();
    for (i, (buffer, pointee)) in buffers.iter_mut().zip(pointees).enumerate() {
        if let (Some(types), Some(file)) = (pointee.numpy(), options.io.input(&buffer.name)) {
            let (_, words) = npy::raw(file, types)?;
            if words.len() as u64 != buffer.count {
                let (file, has, wants) = (file.display(), 4 * words.len(), 4 * buffer.count);
                let message = format!("{file} has {has} bytes, and `{}` has {wants}", buffer.name);
                let hint = "leave --buffer out: the file says how many elements there are";
                return Err(Diagnostic::error(message).hint(hint));
            }
            buffer.content = Content::Words(words.into());
            filled.push(buffer.name.clone());
        }
        let Content::Made(init) = buffer.content else { continue };
        // Zeros are the same words in each type.
        if init == Init::Zero {
            continue;
        }
        if buffer.bytes() > paged::WHOLE {
            // Elements that have an order are refused, and of others the tracer holds a part.
            let words = pointee.words(REPEATED / pointee.bytes(), init, options.seed, i as u64);
            if let Some(words) = words.filter(|_| init != Init::Iota) {
                buffer.content = Content::Repeated(words.into());
            }
            continue;
        }
        let count = (buffer.count * buffer.elem.bytes()).div_ceil(pointee.bytes());
        if let Some(words) = pointee.words(count, init, options.seed, i as u64) {
            buffer.content = Content::Words(words.into());
        }
    }
    Ok(filled)
}

/// The PTX of a .cu file.
fn compiled(
    devices: &Devices,
    file: &str,
    source: &str,
    options: &TraceOptions,
    instance: Option<&str>,
) -> Result<String, Diagnostic> {
    let twin = Twin { file: file.to_owned(), source: source.into(), entry: String::new(), shipped: None };
    let instance = instance.map(str::to_owned);
    let (defines, target) = (options.constants.clone(), options.target.clone());
    let launch = CudaLaunch { defines, target, for_nvcc: true, instance, ..CudaLaunch::default() };
    let launch = Launch {
        kernel: file.to_owned(),
        code: Code::Cuda { twin, constants: Vec::new(), launch },
        bindings: Vec::new(),
        grid: Grid::Fixed([1; 3]),
        workgroup: None,
        library: None,
        blame: Blame::default(),
    };
    let mut ptx = devices.assemble(&Job::of(launch, Vec::new()), &NEVER)?;
    Ok(ptx.pop().unwrap_or_default())
}

fn pick(file: &str, ptx: &str, wanted: Option<&str>) -> Result<String, Diagnostic> {
    let entries = simt::ptx_entries(file, ptx)?;
    let names: Vec<String> = entries.iter().map(|entry| simt::ptx_source_name(entry).to_owned()).collect();
    let failed = |message: String, hint: String| Err(Diagnostic::error(message).in_file(file).hint(hint));
    // Instances of a template and overloads have one name in the source.
    let is_twice = names.iter().enumerate().any(|(i, name)| names[..i].contains(name));
    let listed = |entries: &[String]| {
        let shown = if is_twice { entries } else { names.as_slice() };
        format!("choose one with --entry: {}", shown.join(", "))
    };
    match (wanted, entries.as_slice()) {
        (_, []) => failed(
            "there is no kernel in this file".to_owned(),
            "a kernel is a __global__ void function; of a template name an instance: --entry 'scale<float>'".to_owned(),
        ),
        (None, [only]) => Ok(only.clone()),
        (None, _) => failed("there are several kernels".to_owned(), listed(&entries)),
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
                    None => failed(format!("there is no kernel `{wanted}`"), listed(&entries)),
                },
            }
        }
    }
}

/// The parameters of a kernel, by the names of its source where that declares as many.
/// `declared` has them where the source does not tell them.
fn named(parameters: Vec<Parameter>, twin: &Twin, declared: Option<Vec<Declared>>) -> Vec<Named> {
    let declared = declared.unwrap_or_else(|| signature(&twin.source, &twin.entry).unwrap_or_default());
    // Triton adds parameters of its own at the end.
    let fits = declared.len() == parameters.len() || (is_triton(twin) && declared.len() <= parameters.len());
    let each = parameters.into_iter().enumerate().map(|(n, mut parameter)| {
        let declared = declared.get(n).filter(|_| fits).cloned();
        // A number that is added to a pointer looks like one in PTX.
        let is_pointer = declared.as_ref().and_then(|declared| declared.is_pointer);
        parameter.is_pointer = is_pointer.unwrap_or(parameter.is_pointer);
        // PTX has a half as its bits.
        let number = declared.as_ref().and_then(|declared| declared.number).filter(|number| number.lanes == 1);
        if let Some(elem @ (Elem::F16 | Elem::Bf16)) = number.map(Pointee::elem).filter(|_| parameter.bytes == 2) {
            elem.name().clone_into(&mut parameter.ty);
        }
        let name = declared.as_ref().map_or_else(|| format!("param_{n}"), |declared| declared.name.clone());
        Named { name, parameter, declared }
    });
    each.collect()
}

/// Whether a file is in CUDA C++.
#[must_use]
pub fn is_cuda(file: &str) -> bool {
    [".cu", ".cuh", ".cpp"].iter().any(|end| file.ends_with(end))
}
