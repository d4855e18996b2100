//! Tracing one thing: a lesson's kernel, program or pass, or any WGSL file.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::computes::Computes;
use super::devices::Devices;
use super::explain::explain;
use super::model::{Chosen, Predicted, Traced};
use super::resolved::{Target, begin, sized, spec};
pub use super::trace_options::TraceOptions;
use super::{cuda_file, model, python};
#[cfg(feature = "cuda")]
use super::{cuda_program, inductor};
use crate::base::diag::{Diagnostic, any_of};
use crate::base::foreign::{binary, foreign};
use crate::base::units::Work;
use crate::base::wgsl::{self, Settled};
use crate::base::{files, parts};
use crate::device::Launch;
use crate::gpu::{machine, simt as tracer};
use crate::job::{Action, Assembled, Code, Content, Grid, Job, Language, Wgsl, no_buffer};
use crate::lesson::{Kernel, Lesson, Pack, Program as Declared, Variant};
use crate::machine::{Instruction, MachineCode};
use crate::session::jobs;
use crate::session::run::{self, Done, Which};
use crate::simt::{self, Program};
use crate::trace::provenance::Origin;
use crate::trace::record::{Backend, Ceilings};
use crate::trace::{NoteKind, Trace};

#[derive(Clone, Debug)]
pub struct Outcome {
    /// The job that ran, and its record.
    pub done: Done,
    /// The traced pass, by its place; None for all of a program.
    pub pass: Option<usize>,
    /// The origins of the requested elements.
    pub origins: Vec<Origin>,
    /// The needed work, if a lesson gives it and nothing was changed.
    pub needs: Option<Work>,
    /// Warnings about options that probably do not do what was intended.
    pub warnings: Vec<Diagnostic>,
    /// Notes on the contents of a file's buffers that were not given any.
    pub notes: Vec<String>,
    /// What each pass of a compiled model computes, by its place; empty for others.
    pub computes: Vec<Computes>,
    /// Registers and spills of the traced kernel; None for a kernel in WGSL, and if ptxas is not installed.
    pub machine_code: Option<MachineCode>,
}

impl Outcome {
    /// How the traced pass was launched.
    #[must_use]
    pub fn launch(&self) -> Option<Launch> {
        let registers_per_thread = self.machine_code.as_ref().map(|code| code.registers);
        Some(Launch { registers_per_thread, ..model::launch(&self.done.job, self.pass?)? })
    }

    /// The instructions of the traced kernel's machine code.
    ///
    /// # Errors
    /// That it has no PTX, or that something is missing that assembles it or shows machine code.
    pub fn listing(&self) -> Result<Vec<Instruction>, Diagnostic> {
        let ptx = self.pass.and_then(|place| assembled(&self.done.job, place));
        let ptx = ptx.ok_or_else(|| {
            Diagnostic::error("machine code is made of a kernel's PTX, and this one has none")
                .hint("name one kernel, and of a lesson's add --language cuda")
        })?;
        machine::listing(ptx).map(|(_, instructions)| instructions)
    }

    /// The counts of the traced pass, or of all passes; None if a pass has no trace.
    #[must_use]
    pub fn trace(&self) -> Option<Trace> {
        match self.pass {
            Some(place) => self.done.record.pass(place).and_then(|pass| pass.trace.clone()),
            None => self.done.record.total(),
        }
    }

    /// The time that a device needs by its model; None for a whole program.
    #[must_use]
    pub fn predicted(&self, chosen: &Chosen<'_>) -> Option<Predicted> {
        let (place, launch) = (self.pass?, self.launch()?);
        let traced = Traced::of_pass(&self.done.job, self.done.record.pass(place)?, place, &launch)?;
        let traced = Traced { needs: self.needs, ..traced };
        Some(model::predicted(chosen, &traced, &Ceilings::default(), None))
    }

    /// The file that the text of the traced kernel is in; the target for a whole program.
    #[must_use]
    pub fn file<'a>(&'a self, target: &'a str) -> &'a str {
        let launch = self.pass.and_then(|place| self.done.job.passes.get(place)?.launch());
        launch.map_or(target, |launch| launch.file())
    }

    /// The text of the traced kernel, with its parts; empty for a whole program.
    #[must_use]
    pub fn text(&self) -> Arc<str> {
        let launch = self.pass.and_then(|place| self.done.job.passes.get(place)?.launch());
        launch.map_or_else(Arc::default, |launch| launch.text().clone())
    }
}

/// Size limit, in bytes, of a file that is examined to identify its format if it is not text.
const LARGEST_BINARY: u64 = 64 << 20;

/// Traces `target`, which is LESSON/KERNEL, LESSON/PROGRAM, LESSON/PROGRAM/PASS or the path of a WGSL file, and
/// explains the requested elements.
///
/// # Errors
/// When the target, a name, an element, a file or a size is not usable: all problems.
pub fn trace(
    devices: &Devices,
    pack: &Pack,
    target: &str,
    options: &TraceOptions,
    cancel: &AtomicBool,
) -> Result<Outcome, Vec<Diagnostic>> {
    let is_file = [".wgsl", ".ptx"].iter().any(|end| target.ends_with(end))
        || cuda_file::is_cuda(target)
        || python::named(target).is_some();
    let lesson = target.split_once('/').filter(|_| !is_file);
    let lesson = lesson.and_then(|(id, rest)| Some((pack.lessons.iter().find(|lesson| lesson.id == id)?, rest)));
    let Target { mut job, pass, needs, mut warnings, notes, filled, computes } = match lesson {
        Some((lesson, rest)) => of_lesson(lesson, rest, options).map_err(|problems| lesson.named(problems))?,
        None => of_file(devices, target, options)?,
    };
    let known = |name: &str| job.buffers.iter().any(|buffer| buffer.name == name);
    if let Some(name) = options.io.names().find(|name| !known(name)) {
        return Err(vec![no_buffer(name, job.buffers.iter().map(|b| b.name.as_str()))]);
    }
    let mut io = options.io.clone();
    io.inputs.retain(|(name, _)| !filled.contains(name));
    let found = io.apply(&mut job)?.into_iter();
    warnings.extend(found.map(|warning| Diagnostic::warning(warning.message).hint(warning.hint)));
    let origins = options.explain.iter().map(|(buffer, index)| explain(&job, buffer, *index, cancel));
    let origins = origins.collect::<Result<Vec<_>, _>>()?;
    let one = |problem| vec![problem];
    if job.trace.as_ref().is_some_and(|spec| spec.language == Language::Cuda) {
        job = devices.in_cuda(&job, cancel).map_err(one)?;
    }
    let mut record = tracer::run(&job, cancel, &mut |_| {}).map_err(one)?;
    if python::named(target).is_some() || !computes.is_empty() {
        record.passes.iter_mut().filter_map(|pass| pass.trace.as_mut()).for_each(without_compilers_stores);
    }
    let machine_code = pass.and_then(|place| machine::figures(assembled(&job, place)?).ok());
    Ok(Outcome { done: Done { job, record }, pass, origins, needs, warnings, notes, machine_code, computes })
}

/// Drops notes on stores of one value to the memory that Triton reduces in: it stores so by itself, and no line of the reader's does.
fn without_compilers_stores(trace: &mut Trace) {
    trace.notes.retain(|note| note.kind != NoteKind::SameValue || !note.message.contains("`global_smem"));
}

/// The PTX of a pass's kernel.
fn assembled(job: &Job, place: usize) -> Option<&Assembled> {
    match &job.passes.get(place)?.launch()?.code {
        Code::Ptx(assembled) => Some(assembled),
        _ => None,
    }
}

/// The job of a file: of WGSL, CUDA C++, PTX or Triton.
fn of_file(devices: &Devices, target: &str, options: &TraceOptions) -> Result<Target, Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    if let Some((file, name)) = python::named(target) {
        let (ptx, options, notes) = python::compiled(file, name, options).map_err(one)?;
        let mut found = cuda_file::of_text(devices, target, ptx, &options)?;
        found.notes.splice(..0, notes);
        return Ok(found);
    }
    #[cfg(feature = "cuda")]
    if Path::new(target).is_dir() {
        return inductor::of_folder(devices, target, options);
    }
    let source = files::read_text(Path::new(target)).map_err(|error| one(unreadable(target, &error)))?;
    let is_wgsl = || simt::entry_points(target, &source).is_ok_and(|entries| !entries.is_empty());
    if (cuda_file::is_cuda(target) || target.ends_with(".ptx")) && !is_wgsl() {
        #[cfg(feature = "cuda")]
        if options.all && cuda_file::is_cuda(target) {
            return cuda_program::of_program(devices, target, &source, options);
        }
        // Comments on machine code are trusted in a pack only: in any other file they could be forged.
        let source = match target.ends_with(".ptx") {
            true => source.replace("// machine code: ", "// machine_code: "),
            false => source,
        };
        return cuda_file::of_text(devices, target, source, options);
    }
    of_source(target, &source, options).map_err(|problems| match foreign(target, &source) {
        Some(other) if simt::entry_points(target, &source).is_err() => one(other),
        _ => problems,
    })
}

fn unreadable(target: &str, error: &std::io::Error) -> Diagnostic {
    let bytes = files::read_file(Path::new(target), LARGEST_BINARY).unwrap_or_default();
    binary(target, &bytes).filter(|_| !bytes.is_empty()).unwrap_or_else(|| {
        Diagnostic::error(format!("cannot read {target}: {error}"))
            .hint("give a path to a .wgsl, .cu or .ptx file, or LESSON/KERNEL as `warpbook list` shows them")
    })
}

/// The job of a WGSL text.
fn of_source(target: &str, source: &str, options: &TraceOptions) -> Result<Target, Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    options.check_of_wgsl("WGSL").map_err(one)?;
    let file = target.to_owned();
    let source = parts::compose_on_disk(&file, source.to_owned()).map_err(one)?;
    let entry = pick_entry(&file, &source, options.entry.as_deref())?;
    let Some(grid) = options.grid else {
        return Err(one(
            Diagnostic::error("a file needs a grid").hint("add --grid X[,Y[,Z]]: workgroups in each dimension")
        ));
    };
    let constants = options.numbers().map_err(one)?;
    let Settled { source, consts, overrides } = wgsl::settle(&file, &source, &constants)?;
    let program = Program::compile(&file, &source, &entry, &overrides)?;
    let buffers = sized(&file, program.bindings(), options)?;
    let wgsl = Wgsl { file, source: source.into(), entry: entry.clone(), overrides, consts, twin: None };
    let launch = program.launch(&entry, wgsl, grid);
    let mut job = Job { seed: options.seed, trace: Some(spec(options)), ..Job::of(launch, buffers) };
    let notes = begin(&program, &mut job, options)?;
    Ok(Target {
        job,
        pass: Some(0),
        needs: None,
        warnings: Vec::new(),
        notes,
        filled: Vec::new(),
        computes: Vec::new(),
    })
}

/// The job of a lesson's kernel, program or pass, with the options' changes.
fn of_lesson(lesson: &Lesson, rest: &str, options: &TraceOptions) -> Result<Target, Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    if let Some((path, _)) = options.members.first() {
        let problem = Diagnostic::error(format!("--set-uniform {path} is of a .wgsl file, not of a lesson"));
        return Err(one(problem.hint("set the lesson's parameters with --set, and buffers with --input")));
    }
    options.check_of_wgsl("a lesson").map_err(one)?;
    let (id, pass) = rest.split_once('/').map_or((rest, None), |(id, pass)| (id, Some(pass)));
    let which = Which { programs: vec![id.to_owned()], rungs: options.rungs.clone(), ..Which::default() };
    let which =
        if lesson.program(id).is_none() { Which { kernels: vec![id.to_owned()], ..Which::default() } } else { which };
    let (program, variant) = which.of(lesson).map_err(one)?.remove(0);
    let pass = match pass {
        None if program.alone => Some(0),
        None => None,
        Some(pass) => Some(program.place_of(pass).ok_or_else(|| {
            let known: Vec<&str> = program.passes().into_iter().map(|pass| pass.id.as_str()).collect();
            let problem = Diagnostic::error(format!("`{id}` has no pass `{pass}`"));
            one(problem.hint(format!("its passes are: {}", known.join(", "))))
        })?),
    };
    let params = run::params(lesson, &options.set).map_err(one)?;
    let mut purpose = run::purpose(Backend::Simt, options.seed, true);
    purpose.check = false;
    purpose.trace = Some(spec(options));
    let changed = changed(lesson, program, &variant, options)?;
    let warnings = lesson.kernel(id).map(|kernel| set_alone(lesson, kernel, options)).unwrap_or_default();
    let mut job = jobs::build(changed.as_ref().unwrap_or(lesson), &variant, &params, &purpose)?;
    for (name, count, init) in &options.buffers {
        let Some(buffer) = job.buffers.iter_mut().find(|b| b.name == *name) else {
            return Err(vec![no_buffer(name, job.buffers.iter().map(|b| b.name.as_str()))]);
        };
        (buffer.count, buffer.content) = (*count, Content::Made(*init));
    }
    if let Some(grid) = options.grid {
        for pass in &mut job.passes {
            if let Action::Launch(launch) = &mut pass.action {
                launch.grid = Grid::Fixed(grid);
            }
        }
    }
    let unchanged = options.grid.is_none() && changed.is_none() && options.buffers.is_empty();
    let needs = job.passes.get(pass.unwrap_or(0)).map(|pass| pass.work).filter(|_| unchanged);
    Ok(Target { job, pass, needs, warnings, notes: Vec::new(), filled: Vec::new(), computes: Vec::new() })
}

/// The lesson with other constants and another entry point of a kernel by itself; None if there is nothing to change.
fn changed(
    lesson: &Lesson,
    program: &Declared,
    variant: &Variant,
    options: &TraceOptions,
) -> Result<Option<Lesson>, Vec<Diagnostic>> {
    if options.entry.is_none() && options.constants.is_empty() && options.grid.is_none() {
        return Ok(None);
    }
    if !program.alone {
        let problem = Diagnostic::error("--grid, --entry and --const are of a single kernel");
        return Err(vec![problem.hint("use --set for a program: it takes the lesson's parameters")]);
    }
    let mut lesson = lesson.clone();
    if let Some(kernel) = lesson.kernels.iter_mut().find(|kernel| kernel.id == variant.program) {
        if let (Some(wanted), crate::lesson::Code::Wgsl { entry, .. }) = (&options.entry, &mut kernel.code) {
            entry.clone_from(wanted);
        }
        for (name, value) in &options.numbers().map_err(|problem| vec![problem])? {
            let value = crate::lesson::Expr::parse(&value.to_string());
            let value = value.map_err(|why| vec![Diagnostic::error(why.to_string())])?;
            match kernel.constants.iter_mut().find(|(known, _)| known == name) {
                Some(constant) => constant.1 = value,
                None => kernel.constants.push((name.clone(), value)),
            }
        }
    }
    Ok(Some(lesson))
}

/// Warnings for constants of a lesson's kernel that were set alone, while buffers or a grid sized by the same
/// parameters stay the same.
fn set_alone(lesson: &Lesson, kernel: &Kernel, options: &TraceOptions) -> Vec<Diagnostic> {
    let kept = match (options.buffers.is_empty(), options.grid.is_none()) {
        (true, true) => "the buffers and the grid",
        (true, false) => "the buffers",
        (false, true) => "the grid",
        (false, false) => return Vec::new(),
    };
    let alone = options.constants.iter().filter_map(|(name, value)| {
        let (_, expr) = kernel.constants.iter().find(|(known, _)| known == name)?;
        let params = lesson.blame(expr);
        let first = params.first()?;
        let hint = if expr.source() == first {
            format!("set the lesson's parameter instead: --set {first}={value}")
        } else {
            let sets: Vec<String> = params.iter().map(|id| format!("--set {id}=…")).collect();
            format!("set the lesson's parameters instead: {name} is `{}`, so {}", expr.source(), any_of(&sets))
        };
        let message = format!(
            "--const {name}={value} changes the shader alone: the lesson's parameters size {kept} of `{}`",
            kernel.id
        );
        Some(Diagnostic::warning(message).hint(hint))
    });
    alone.collect()
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
