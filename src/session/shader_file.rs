//! Tracing a single shader: a lesson's kernel or any WGSL file.

use std::sync::atomic::AtomicBool;

use super::devices::Devices;
use super::explain::explain;
use super::jobs;
use super::model;
use super::run;
use crate::base::diag::{Diagnostic, nearest};
use crate::base::expr::Expr;
use crate::base::tensor::Init;
use crate::base::wgsl::{self, Settled};
use crate::device::Launch;
use crate::job::{BindingKind, Blame, BufferSpec, Job, TraceSpec, WorkgroupShape};
use crate::lesson::Pack;
use crate::simt::{self, Binding, Program};
use crate::trace::Provenance;
use crate::trace::record::{Backend, Record};

/// What to trace, and at which size.
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// Workgroups in x, y, z; the lesson's own where none is given and the target is a lesson's kernel.
    pub grid: Option<[u32; 3]>,
    /// The entry point, where the file has several.
    pub entry: Option<String>,
    /// Values of overrides and of constants.
    pub constants: Vec<(String, f64)>,
    /// Sizes and contents of runtime-sized buffers, by name.
    pub buffers: Vec<(String, u64, Init)>,
    /// Lanes in a warp.
    pub warp_width: u32,
    /// Seed of the random contents.
    pub seed: u64,
    /// Elements whose origin is asked for: buffer, and 32-bit word of it.
    pub explain: Vec<(String, u64)>,
}

/// Bytes and floating-point operations that the work needs, where a lesson says so and nothing was changed.
pub type Needs = Option<(f64, f64)>;

/// A shader that was traced.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What came of it.
    pub record: Record,
    /// Where the elements came from that were asked for.
    pub origins: Vec<Provenance>,
    /// How it was launched.
    pub launch: Option<Launch>,
    /// Bytes and floating-point operations that the work needs, where they are known.
    pub needs: Needs,
}

/// Traces `target`, which is LESSON/KERNEL or the path of a WGSL file, and explains the elements that are asked for.
///
/// # Errors
/// When the target, a name, an element or a size is not usable: all that is wrong with it.
pub fn trace(
    devices: &Devices,
    pack: &Pack,
    target: &str,
    options: &TraceOptions,
    cancel: &AtomicBool,
) -> Result<Outcome, Vec<Diagnostic>> {
    let (job, needs) = job(pack, target, options)?;
    let origins = options.explain.iter().map(|(buffer, index)| explain(&job, buffer, *index, cancel));
    let origins = origins.collect::<Result<Vec<_>, _>>()?;
    let record = devices.run(Backend::Simt, &job, cancel, &mut |_| {}).map_err(|d| vec![d])?;
    Ok(Outcome { record, origins, launch: model::launch(&job), needs })
}

/// The job that `target` comes to, with the bytes and operations that its work needs where they are known.
fn job(pack: &Pack, target: &str, options: &TraceOptions) -> Result<(Job, Needs), Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    let (file, source, entry) = match target.split_once('/') {
        Some((lesson, kernel)) if pack.lessons.iter().any(|l| l.id == lesson) && !target.ends_with(".wgsl") => {
            let lesson = run::lesson(pack, lesson).map_err(one)?;
            let kernel = run::kernels(lesson, &[kernel.to_owned()]).map_err(one)?[0];
            return kernel_job(lesson, kernel, options);
        }
        _ => {
            let source = std::fs::read_to_string(target).map_err(|error| {
                one(Diagnostic::error(format!("cannot read {target}: {error}"))
                    .hint("give a path to a .wgsl file, or LESSON/KERNEL as `warpbook list` shows them"))
            })?;
            let entry = pick_entry(target, &source, options.entry.as_deref())?;
            (target.to_owned(), source, entry)
        }
    };
    let Some(grid) = options.grid else {
        return Err(one(
            Diagnostic::error("a file needs a grid").hint("add --grid X[,Y[,Z]]: workgroups in each dimension")
        ));
    };
    let Settled { source, consts, overrides } = wgsl::settle(&file, &source, &options.constants)?;
    let program = Program::compile(&file, &source, &entry, &overrides)?;
    let buffers = sized(&file, program.bindings(), options)?;
    let job = Job {
        kernel: entry.clone(),
        file,
        source: source.into(),
        entry,
        constants: overrides,
        consts,
        twin: None,
        cuda_only: None,
        library: None,
        buffers,
        workgroup: Some(WorkgroupShape { size: program.workgroup_size(), shared_bytes: program.shared_bytes() }),
        grid,
        seed: options.seed,
        check: None,
        measure: None,
        trace: Some(TraceSpec { warp_width: options.warp_width, races: true, ..TraceSpec::default() }),
        bounds_checks: true,
        bytes: 0.0,
        flops: 0.0,
        blame: Blame::default(),
    };
    Ok((job, None))
}

/// A lesson's kernel at the lesson's defaults, with what the options change.
fn kernel_job(
    lesson: &crate::lesson::Lesson,
    kernel: &crate::lesson::Kernel,
    options: &TraceOptions,
) -> Result<(Job, Needs), Vec<Diagnostic>> {
    let mut purpose = run::purpose(Backend::Simt, options.seed, true);
    purpose.check = false;
    purpose.trace = Some(TraceSpec { warp_width: options.warp_width, races: true, ..TraceSpec::default() });
    let mut kernel = kernel.clone();
    if let Some(entry) = &options.entry {
        kernel.entry.clone_from(entry);
    }
    for (name, value) in &options.constants {
        let value = Expr::parse(&value.to_string()).map_err(|why| vec![Diagnostic::error(why.to_string())])?;
        match kernel.constants.iter_mut().find(|(known, _)| known == name) {
            Some(constant) => constant.1 = value,
            None => kernel.constants.push((name.clone(), value)),
        }
    }
    let mut job = jobs::build(lesson, &kernel, &jobs::defaults(lesson), &purpose)?;
    for (name, count, init) in &options.buffers {
        let Some(buffer) = job.buffers.iter_mut().find(|b| b.name == *name) else {
            return Err(vec![no_buffer(name, job.buffers.iter().map(|b| b.name.as_str()))]);
        };
        (buffer.count, buffer.init) = (*count, *init);
    }
    job.grid = options.grid.unwrap_or(job.grid);
    let unchanged = options.grid.is_none() && options.constants.is_empty() && options.buffers.is_empty();
    let needs = (unchanged && options.entry.is_none()).then_some((job.bytes, job.flops));
    Ok((job, needs))
}

fn pick_entry(file: &str, source: &str, wanted: Option<&str>) -> Result<String, Vec<Diagnostic>> {
    if let Some(entry) = wanted {
        return Ok(entry.to_owned());
    }
    let entries = simt::entry_points(file, source)?;
    match entries.as_slice() {
        [only] => Ok(only.name.clone()),
        [] => Err(vec![
            Diagnostic::error("there is no compute entry point")
                .in_file(file)
                .hint("mark a function with @compute @workgroup_size(…)"),
        ]),
        several => {
            let names: Vec<&str> = several.iter().map(|e| e.name.as_str()).collect();
            Err(vec![
                Diagnostic::error("there are several entry points")
                    .in_file(file)
                    .hint(format!("choose one with --entry: {}", names.join(", "))),
            ])
        }
    }
}

fn no_buffer<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Diagnostic {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the buffers are: {}", known.collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::error(format!("the shader binds no buffer `{name}`")).hint(hint)
}

/// The buffers a file binds, each with its size: its own where that is fixed, else the option's.
fn sized(file: &str, bindings: &[Binding], options: &TraceOptions) -> Result<Vec<BufferSpec>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    for (i, (name, count, _)) in options.buffers.iter().enumerate() {
        if *count == 0 {
            let problem = Diagnostic::error(format!("the buffer `{name}` cannot be empty")).in_file(file);
            problems.push(problem.hint("give it 1 element or more"));
        }
        if options.buffers[..i].iter().any(|(before, ..)| before == name) {
            let problem = Diagnostic::error(format!("the buffer `{name}` is given twice")).in_file(file);
            problems.push(problem.hint("leave one of them out"));
        }
        if !bindings.iter().any(|b| b.name == *name) {
            problems.push(no_buffer(name, bindings.iter().map(|b| b.name.as_str())));
        }
    }
    let mut buffers = Vec::new();
    for binding in bindings {
        let given = options.buffers.iter().find(|(name, ..)| *name == binding.name);
        // A buffer counts in its first scalar, however large the elements of its array are.
        let scalars = |bytes: u32| u64::from(bytes).div_ceil(binding.elem.bytes());
        let (fixed, each) = (scalars(binding.min_bytes), scalars(binding.stride.unwrap_or(0)));
        let (count, init) = match (given, binding.stride) {
            (Some((_, count, init)), Some(_)) => (fixed.max(count * each), *init),
            (Some((_, _, init)), None) => (fixed, *init),
            (None, None) => (fixed, default_init(binding)),
            (None, Some(_)) => {
                problems.push(
                    Diagnostic::error(format!("the buffer `{}` has no size of its own", binding.name))
                        .in_file(file)
                        .hint(format!("add --buffer {}=COUNT, in elements of its array", binding.name)),
                );
                continue;
            }
        };
        buffers.push(BufferSpec {
            name: binding.name.clone(),
            elem: binding.elem,
            count,
            init,
            group: binding.group,
            binding: binding.binding,
            kind: binding.kind,
            columns: None,
        });
    }
    if problems.is_empty() { Ok(buffers) } else { Err(problems) }
}

fn default_init(binding: &Binding) -> Init {
    match binding.kind {
        BindingKind::Uniform => Init::Zero,
        BindingKind::ReadOnly | BindingKind::ReadWrite => Init::Random,
    }
}
