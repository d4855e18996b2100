//! A library's call that does a kernel's work: checked like the kernel, timed on the same buffers.

use super::awake::Awake;
use super::launches::Timed;
use super::prepared::Prepared;
use super::residents::carry_out;
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, Sink, WithoutSamples};
use crate::gpu::checks;
use crate::gpu::driver::{Command, Driver};
use crate::job::{Launch, Library, MeasureSpec};
use crate::reference::TERMS;
use crate::trace::record::{Backend, LibraryRun, Warning, WarningKind};

/// The run of the library's call of a job that is one launch, if it names one that the device has.
///
/// # Errors
/// When the library is missing, or it or the device fails.
pub(super) fn measure<D: Driver>(
    prepared: &mut Prepared<'_, D>,
    spec: &MeasureSpec,
    awake: &mut Option<&mut Awake<D>>,
    sink: &mut dyn Sink,
) -> Result<Option<LibraryRun>, Failure> {
    let job = prepared.job;
    let Some(launch) = job.launches().next().filter(|_| D::BACKEND == Backend::Cuda) else { return Ok(None) };
    let (what, name, version) = match &launch.library {
        None => return Ok(None),
        Some(Library::Copy(from, to)) => {
            (Timed::Copy { from: bound(launch, from)?, to: bound(launch, to)? }, "cuMemcpyDtoD".to_owned(), None)
        }
        Some(Library::Product(product)) => {
            let (name, version) = prepared.driver.products()?;
            let buffers = [bound(launch, &product.a)?, bound(launch, &product.b)?, bound(launch, &product.c)?];
            // Products of other types are other calls.
            let name = format!("{name} {}", job.buffers[buffers[0]].elem.name());
            (Timed::Product { buffers, product }, name, version)
        }
    };
    for (i, spec) in job.buffers.iter().enumerate().filter(|(i, spec)| spec.is_poison() && job.writes(*i)) {
        prepared.driver.write(prepared.residents.of_set(0, i), &spec.fill(job.seed, i)?.words, sink)?;
    }
    let of = |buffer: usize| prepared.residents.of_set(0, buffer);
    let command = match &what {
        Timed::Copy { from, to } => Command::Copy { from: of(*from), to: of(*to) },
        Timed::Product { buffers, product } => {
            Command::Product { parts: buffers.map(of), elems: buffers.map(|i| job.buffers[i].elem), product }
        }
        Timed::Program(_) => return Ok(None),
    };
    carry_out(prepared.driver, vec![command], sink)?;
    let mut quiet = WithoutSamples(&mut *sink, "checking a library");
    let made = job.checks.first().map(|check| {
        let seen = checks::gather(job, check, 0, &mut |buffer| prepared.content(buffer, &mut quiet))?;
        checks::make(job, check, seen, &mut TERMS.clone(), &mut || quiet.goes_on())
    });
    let check = made.transpose()?;
    let right = check.as_ref().is_none_or(|check| check.ok);
    let timing = if right {
        Some(prepared.sample(spec, &what, awake, &mut WithoutSamples(sink, "timing a library"))?)
    } else {
        None
    };
    Ok(Some(LibraryRun { name, version, check, timing }))
}

fn bound(launch: &Launch, variable: &str) -> Result<usize, Failure> {
    launch.bound(variable).ok_or_else(|| {
        let message = format!("kernel `{}` has no buffer `{variable}` for its library", launch.kernel);
        Diagnostic::error(message).in_file(launch.file()).into()
    })
}

/// That there is no time of a library beside a kernel's own.
pub(super) fn missing(failure: Failure) -> Warning {
    let Diagnostic { message, hint, .. } = failure.diagnostic;
    let hint = hint.unwrap_or_else(|| "the kernel's own time is shown".to_owned());
    Warning { kind: WarningKind::NoLibrary, message, hint }
}
