//! Checks of buffers, and looks at them: buffers are read, or filled anew, and plain kernels are run by the tracer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::backend::Failure;
use crate::base::diag::Diagnostic;
use crate::base::npy::{self, Shape};
use crate::base::tensor::Tensor;
use crate::job::{Against, CheckSpec, Job, Launch, Look};
use crate::reference::{self, Allowance, Seen};
use crate::simt::{self, Options, Program};
use crate::trace::Check;

/// Warp instructions that a plain kernel may take.
const FUEL: u64 = 4_000_000_000;

/// Elements that come back in a record, at most: they go through a pipe.
const MOST_SEEN: u64 = 1 << 20;

/// The time after which a check that is still being made calls its caller.
const TICK: Duration = Duration::from_secs(1);

/// Reads all that a check of a job needs; `content` reads what a buffer holds now.
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
    Ok(Seen { buffers: &job.buffers, contents, expected: None, round })
}

/// Makes a check on another thread. Meanwhile `waiting` is called about once per second, and returns true to cancel it.
/// The sums may have `terms` terms, of which those that were taken are subtracted.
///
/// # Errors
/// When it cannot be made, its plain kernel does not run, or it was cancelled.
pub(super) fn make(
    job: &Job,
    spec: &CheckSpec,
    mut seen: Seen<'_>,
    terms: &mut f64,
    waiting: &mut dyn FnMut() -> bool,
) -> Result<Check, Failure> {
    attended(waiting, |cancel| {
        if let Against::Kernel(launch) = &spec.against {
            seen.expected = Some(plain(job, launch, spec.output, cancel)?);
        }
        let cancelled = || cancel.load(Ordering::Relaxed);
        let made = reference::check(spec, &seen, &mut Allowance { terms, cancelled: &cancelled });
        made.map_err(|problem| problem.in_place_of(spec.place.as_ref()).into())
    })
}

/// Works on another thread, and calls `waiting` once per [`TICK`] until the work is done. The work's flag is set when
/// that returns true.
fn attended<T: Send>(waiting: &mut dyn FnMut() -> bool, work: impl FnOnce(&AtomicBool) -> T + Send) -> T {
    let cancel = AtomicBool::new(false);
    // A page has no threads.
    if cfg!(target_family = "wasm") {
        return work(&cancel);
    }
    std::thread::scope(|scope| {
        let (end, ended) = mpsc::channel::<()>();
        let cancel = &cancel;
        let worker = scope.spawn(move || {
            let result = work(cancel);
            drop(end);
            result
        });
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            if waiting() {
                cancel.store(true, Ordering::Relaxed);
            }
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The content that a plain kernel writes to the variable of `output`, over the other buffers' initial contents.
fn plain(job: &Job, launch: &Launch, output: usize, cancel: &AtomicBool) -> Result<Tensor, Failure> {
    let wgsl = launch.wgsl()?;
    let program = Program::compile(&wgsl.file, &wgsl.source, &wgsl.entry, &wgsl.overrides);
    let program = program.map_err(|mut problems| problems.remove(0))?;
    let fill = |binding: &crate::job::Binding| job.buffers[binding.buffer].fill(job.seed, binding.buffer);
    let mut tensors = launch.bindings.iter().map(fill).collect::<Result<Vec<Tensor>, Diagnostic>>()?;
    let options = Options { fuel: FUEL, count: false, ..Options::default() };
    let outcome = simt::run(&program, &mut tensors, launch.grid.most(), &options, cancel, &|_, _| {})?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_check_is_called_and_may_cancel_it() {
        let mut calls = 0;
        let mut waiting = || {
            calls += 1;
            calls == 2
        };
        let done = attended(&mut waiting, |cancel| {
            while !cancel.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            "cancelled"
        });
        assert_eq!((done, calls), ("cancelled", 2));
    }
}
