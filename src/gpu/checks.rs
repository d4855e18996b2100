//! Checks of buffers, and looks at them: buffers are read, or filled anew, and plain kernels are run by the tracer.

use std::sync::atomic::AtomicBool;

use super::backend::Failure;
use crate::base::diag::Diagnostic;
use crate::base::npy::{self, Shape};
use crate::base::tensor::Tensor;
use crate::job::{Against, CheckSpec, Job, Launch, Look};
use crate::reference::{self, Allowance, Seen, TERMS};
use crate::simt::{self, Options, Program};
use crate::trace::Check;

/// Warp instructions that a plain kernel may take.
const FUEL: u64 = 4_000_000_000;

/// Elements that come back in a record, at most: they go through a pipe.
const MOST_SEEN: u64 = 1 << 20;

/// Makes one check of a job by itself; `content` reads what a buffer holds now.
///
/// # Errors
/// As [`gather`] and [`make`].
pub(super) fn check(
    job: &Job,
    spec: &CheckSpec,
    content: &mut dyn FnMut(usize) -> Result<Tensor, Failure>,
) -> Result<Check, Failure> {
    let seen = gather(job, spec, 0, content)?;
    let mut terms = TERMS;
    Ok(make(spec, &seen, &mut Allowance { terms: &mut terms, cancelled: &|| false })?)
}

/// Reads all that a check of a job needs; `content` reads what a buffer holds now.
///
/// # Errors
/// When a buffer cannot be read, or the check's plain kernel does not run.
pub(super) fn gather<'a>(
    job: &'a Job,
    spec: &CheckSpec,
    round: u64,
    content: &mut dyn FnMut(usize) -> Result<Tensor, Failure>,
) -> Result<Seen<'a>, Failure> {
    let read = |(buffer, before): (usize, bool)| -> Result<Tensor, Failure> {
        if before { Ok(job.buffers[buffer].fill(job.seed, buffer)?) } else { content(buffer) }
    };
    let contents = spec.sees().into_iter().map(read).collect::<Result<Vec<Tensor>, Failure>>()?;
    let expected = match &spec.against {
        Against::Kernel(launch) => Some(plain(job, launch, spec.output)?),
        Against::Reference { .. } | Against::Formula(_) | Against::Predicate(_) => None,
    };
    Ok(Seen { buffers: &job.buffers, contents, expected, round })
}

/// Makes a check.
///
/// # Errors
/// When it cannot be made.
pub(super) fn make(spec: &CheckSpec, seen: &Seen<'_>, allowance: &mut Allowance<'_>) -> Result<Check, Diagnostic> {
    reference::check(spec, seen, allowance).map_err(|problem| problem.in_place_of(spec.place.as_ref()))
}

/// The content that a plain kernel writes to the variable of `output`, over the other buffers' initial contents.
fn plain(job: &Job, launch: &Launch, output: usize) -> Result<Tensor, Failure> {
    let wgsl = launch.wgsl()?;
    let program = Program::compile(&wgsl.file, &wgsl.source, &wgsl.entry, &wgsl.overrides);
    let program = program.map_err(|mut problems| problems.remove(0))?;
    let fill = |binding: &crate::job::Binding| job.buffers[binding.buffer].fill(job.seed, binding.buffer);
    let mut tensors = launch.bindings.iter().map(fill).collect::<Result<Vec<Tensor>, Diagnostic>>()?;
    let options = Options { fuel: FUEL, count: false, ..Options::default() };
    let cancel = AtomicBool::new(false);
    let outcome = simt::run(&program, &mut tensors, launch.grid.most(), &options, &cancel, &|_, _| {})?;
    if let Some(finding) = outcome.trace.findings.first() {
        return Err(finding.diagnostic(&wgsl.file, &wgsl.source).into());
    }
    let at = launch.bindings.iter().position(|binding| binding.buffer == output);
    at.map(|at| tensors.swap_remove(at)).ok_or_else(|| {
        let name = &job.buffers[output].name;
        let message = format!(
            "the plain kernel `{}` does not write `{name}`, which it is to say the right values of",
            launch.kernel
        );
        Diagnostic::error(message).in_file(&wgsl.file).hint(format!("bind one of its variables to `{name}`")).into()
    })
}

/// The part of a buffer's content that a look shows; None if it went into its file.
///
/// # Errors
/// When the file cannot be written, or it is more than a record holds.
pub(super) fn seen(job: &Job, look: &Look, content: &Tensor) -> Result<Option<Tensor>, Failure> {
    let spec = &job.buffers[look.buffer];
    let count = look.count.min(spec.count.saturating_sub(look.from));
    if let Some(file) = &look.file {
        let rows = spec.columns.filter(|columns| *columns > 0 && spec.count.is_multiple_of(*columns));
        let shape = rows.map_or(vec![spec.count], |columns| vec![spec.count / columns, columns]);
        npy::write(file, content, &Shape(shape))?;
        return Ok(None);
    }
    if count > MOST_SEEN {
        let message = format!("{count} elements of `{}` are more than can be shown", spec.name);
        return Err(Diagnostic::error(message).hint("look at a part, or write them into a file with --dump").into());
    }
    let whole = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    Ok(Some(Tensor::from_bits(spec.elem, (whole(look.from)..whole(look.from + count)).map(|i| content.bits(i)))))
}
