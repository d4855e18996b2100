//! What is traced of a target, before it runs: its job, with the buffers that options give.

use super::computes::Computes;
use super::given;
use super::trace_options::TraceOptions;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Init;
use crate::base::units::Work;
use crate::gpu::{limits, simt as tracer};
use crate::job::{BindingKind, BufferSpec, Content, Job, TraceSpec, no_buffer};
use crate::simt::{self, Program};

/// A resolved target.
pub(super) struct Target {
    pub job: Job,
    pub pass: Option<usize>,
    pub needs: Option<Work>,
    pub warnings: Vec<Diagnostic>,
    pub notes: Vec<String>,
    /// The buffers that have what --input gives already.
    pub filled: Vec<String>,
    /// What each pass of a compiled model computes, by its place; empty for others.
    pub computes: Vec<Computes>,
}

/// What the tracer is asked for.
pub(super) fn spec(options: &TraceOptions) -> TraceSpec {
    let TraceOptions { warp_width, language, events, caches, .. } = *options;
    let usual = TraceSpec::default();
    let timeline_workgroups = if events { vec![0] } else { Vec::new() };
    let fuel = options.limit.unwrap_or(usual.fuel);
    TraceSpec { warp_width, language, races: true, caches, fuel, timeline_workgroups, ..usual }
}

/// Sets the named members, and returns notes on the buffers without given contents.
pub(super) fn begin(program: &Program, job: &mut Job, options: &TraceOptions) -> Result<Vec<String>, Vec<Diagnostic>> {
    // A buffer that is too large must not be filled first.
    if let Some(problem) = limits::check(job, &tracer::device()).into_iter().next() {
        return Err(vec![problem]);
    }
    let has_file = |name: &str| options.io.inputs.iter().any(|(buffer, _)| buffer == name);
    let set = given::set(program.bindings(), &mut job.buffers, &options.members, options.seed)?;
    let mut both =
        program.bindings().iter().zip(&set).filter(|(binding, set)| !set.is_empty() && has_file(&binding.name));
    if let Some((binding, _)) = both.next() {
        let problem = Diagnostic::error(format!("`{}` is set by an --input and by --set-uniform", binding.name));
        return Err(vec![problem.hint("leave one of them out: a file sets all of a buffer")]);
    }
    let is_given = |name: &str| has_file(name) || options.buffers.iter().any(|(buffer, ..)| buffer == name);
    Ok(given::not_given(program, &job.buffers, &set, &is_given))
}

/// The buffers a file binds, each with its size: its own if fixed, else the option's.
pub(super) fn sized(
    file: &str,
    bindings: &[simt::Binding],
    options: &TraceOptions,
) -> Result<Vec<BufferSpec>, Vec<Diagnostic>> {
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
        let scalars = |bytes: u64| bytes.div_ceil(binding.elem.bytes());
        let fixed = scalars(binding.min_bytes.into());
        let (count, init) = match (given, binding.stride) {
            (Some((_, count, init)), Some(stride)) => {
                // The bytes before the array add to its elements; the smallest buffer has one element.
                let before = u64::from(binding.min_bytes - stride);
                (scalars(count.saturating_mul(stride.into()).saturating_add(before)), *init)
            }
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
            content: Content::Made(init),
            columns: None,
            blame: Vec::new(),
            place: None,
        });
    }
    if problems.is_empty() { Ok(buffers) } else { Err(problems) }
}

fn default_init(binding: &simt::Binding) -> Init {
    match binding.kind {
        BindingKind::Uniform => Init::Zero,
        BindingKind::ReadOnly | BindingKind::ReadWrite => Init::Random,
    }
}
