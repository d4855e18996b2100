//! A library's call that does a kernel's work: checked like the kernel, timed on the same buffers.

use super::awake::Awake;
use super::cublas::{Cublas, Sizes};
use super::device::Gpu;
use super::launch::Work;
use super::probe::GET_CUBLAS;
use super::{Inputs, Prepared};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, Quiet, Sink};
use crate::job::{Library, MeasureSpec};
use crate::trace::record::{LibraryRun, Warning, WarningKind};

impl<'a> Prepared<'a> {
    /// What came of the job's library call, where it names one. `cublas` is opened at the first product.
    ///
    /// # Errors
    /// When the library is missing, or it or the device fails.
    pub(super) fn library(
        &mut self,
        inputs: &Inputs,
        spec: &MeasureSpec,
        cublas: &'a mut Option<Cublas>,
        awake: &mut Awake,
        sink: &mut dyn Sink,
    ) -> Result<Option<LibraryRun>, Failure> {
        let (work, name, version) = match &self.job.library {
            None => return Ok(None),
            Some(Library::Copy(from, to)) => {
                let work = Work::Copy { from: self.named(from, "to copy")?, to: self.named(to, "to copy to")? };
                (work, "cuMemcpyDtoD".to_owned(), None)
            }
            Some(Library::Product(product)) => {
                let cublas = open(self.gpu, cublas)?;
                self.cublas = Some(cublas);
                let named = |name: &str| self.named(name, "to multiply");
                let buffers = [named(&product.a)?, named(&product.b)?, named(&product.c)?];
                let sizes = Sizes { m: product.m, n: product.n, k: product.k, b_transposed: product.b_transposed };
                // Products of other types are other calls.
                let elem = self.job.buffers[buffers[0]].elem.name();
                (Work::Product { buffers, sizes }, format!("cuBLAS {elem}"), Some(cublas.version.clone()))
            }
        };
        if let Some(check) = &self.job.check {
            self.residents.poison(self.output(check)?, sink)?;
        }
        self.run_once(work, sink)?;
        let check = self.check(inputs, &mut Quiet(sink))?;
        let right = check.as_ref().is_none_or(|check| check.ok);
        let timing = if right { Some(self.sample(spec, work, awake, &mut Quiet(sink))?) } else { None };
        Ok(Some(LibraryRun { name, version, check, timing }))
    }
}

/// cuBLAS, opened at the first call that succeeds.
fn open<'c>(gpu: &Gpu, slot: &'c mut Option<Cublas>) -> Result<&'c Cublas, Failure> {
    let cublas = match slot.take() {
        Some(cublas) => cublas,
        None => Cublas::open(&gpu.context)
            .map_err(|why| Diagnostic::error(format!("the library rung needs cuBLAS: {why}")).hint(GET_CUBLAS))?,
    };
    Ok(slot.insert(cublas))
}

/// That there is no time of a library beside a kernel's own.
pub(super) fn missing(failure: Failure) -> Warning {
    let Diagnostic { message, hint, .. } = failure.diagnostic;
    let hint = hint.unwrap_or_else(|| "the kernel's own time stands".to_owned());
    Warning { kind: WarningKind::NoLibrary, message, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_a_warning_with_advice() {
        let failure: Failure = Diagnostic::error("the library rung needs cuBLAS: none").hint(GET_CUBLAS).into();
        let warning = missing(failure);
        assert_eq!(warning.kind, WarningKind::NoLibrary);
        assert!(warning.message.contains("needs cuBLAS") && warning.hint.contains("nvidia-cublas"), "{warning:?}");
    }
}
