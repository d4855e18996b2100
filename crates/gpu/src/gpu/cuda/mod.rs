//! A device reached through CUDA: it runs the kernels' twins in CUDA C++. Optional at run time: its libraries are
//! loaded when they are first needed, and missing ones are reported.
//!
//! CUDA guards no array index: whether bounds checks are asked for makes no difference here.

mod commands;
mod compile;
pub(super) mod confined;
mod cublas;
mod device;
mod device_part;
mod directives;
mod driver;
mod error;
mod headers;
mod kernel;
mod log;
mod maps;
mod nccl;
mod nvrtc;
mod occupancy;
mod peer;
mod probe;
pub(super) mod ranks;
mod stream;

use std::panic::{AssertUnwindSafe, catch_unwind};

use self::commands::Recorded;
use self::cublas::Cublas;
use self::device::Gpu;
use self::driver::{Arguments, Code, Locked, Memory};
use self::error::{failure, of_kernel};
use self::kernel::Kernel;
use super::backend::{self, Backend, Failure, Sink};
use super::bench::Bench;
use super::driver::{Command, Driver, Guards, Part, Work};
use crate::base::diag::Diagnostic;
use crate::job::{BufferSpec, Job, Launch};
use crate::trace::record::{self, Ceilings, Compiled, Device, Record};

/// Words that go over in one piece: 64 MiB.
const CHUNK: usize = 16 << 20;

/// The device with its bench, as soon as something needs one.
pub(super) struct CudaBackend {
    /// The device asked for: its number, or a part of its name.
    which: Option<String>,
    bench: Option<Bench<Gpu>>,
}

impl CudaBackend {
    /// A backend that opens nothing yet.
    pub(super) fn new(which: Option<String>) -> Self {
        Self { which, bench: None }
    }

    /// The device, opened at the first call that succeeds.
    fn bench(&mut self) -> Result<&mut Bench<Gpu>, Failure> {
        let bench = match self.bench.take() {
            Some(bench) => bench,
            None => Bench::new(Gpu::open(self.which.as_deref())?, None),
        };
        Ok(self.bench.insert(bench))
    }
}

/// Opens the device of a rank, by its number on its host, else that which the environment names, else the first; and
/// does `work` with it.
///
/// # Errors
/// When there is none, or `work` fails.
pub(super) fn with_device<W: Work>(rank: Option<usize>, work: W) -> Result<W::Output, Failure> {
    guarded(|| {
        probe::require_driver()?;
        probe::require_nvrtc()?;
        work.with(&rank.map_or_else(|| Gpu::open(None), Gpu::of_rank)?)
    })
}

impl Backend for CudaBackend {
    fn describe(&mut self) -> Result<Device, Failure> {
        guarded(|| {
            // Nothing could be run without a compiler, so that a device without one is none.
            probe::require_driver()?;
            probe::require_nvrtc()?;
            Ok(self.bench()?.driver.description.clone())
        })
    }

    fn parts(&mut self) -> Vec<backend::Part> {
        guarded(|| Ok(probe::parts())).unwrap_or_default()
    }

    fn compile(&mut self, job: &Job) -> Result<Vec<Diagnostic>, Failure> {
        let each = job.launches().map(|launch| Ok(compile::compile(launch, None)?.warnings));
        guarded(|| Ok(each.collect::<Result<Vec<_>, Failure>>()?.concat()))
    }

    fn assemble(&mut self, job: &Job) -> Result<Vec<String>, Failure> {
        let each = job.launches().map(|launch| Ok(compile::translate(launch, None)?.ptx));
        guarded(|| each.collect())
    }

    fn ceilings(&mut self, sink: &mut dyn Sink) -> Result<Ceilings, Failure> {
        guarded(|| self.bench()?.ceilings(sink))
    }

    fn run(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure> {
        guarded(|| self.bench()?.run(job, sink))
    }
}

/// Calls `f`. The bindings panic where a library lacks a function, which is a driver too old and no defect of the
/// program.
fn guarded<T>(f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let message = format!("CUDA's libraries cannot be used: {}", said.unwrap_or("no reason is known"));
        let diagnostic =
            Diagnostic::error(message).hint("update NVIDIA's driver and the CUDA toolkit to 12.0 or later");
        Err(Failure { diagnostic, fatal: true })
    })
}

impl Driver for Gpu {
    type Memory = Memory;
    type Host = Locked;
    type Kernel = Kernel;
    type Bound = Arguments;
    type Recorded<'a> = Recorded<'a>;

    const BACKEND: record::Backend = record::Backend::Cuda;
    const GUARDS: bool = false;
    const LOAD_FIRST: bool = false;

    fn device(&self) -> &Device {
        &self.description
    }

    fn clock_step_s(&self) -> Option<f64> {
        Some(self.clock_resolution_s)
    }

    fn allocate(&self, bytes: u64) -> Result<Memory, String> {
        Memory::new(&self.context, bytes).map_err(|code| match code {
            Code::CUDA_ERROR_OUT_OF_MEMORY => "out of memory".to_owned(),
            code => format!("{code:?}"),
        })
    }

    fn write(&self, to: Part<'_, Self>, words: &[u32], sink: &dyn Sink) -> Result<(), Failure> {
        let mut offset = to.offset;
        for piece in words.chunks(CHUNK) {
            if sink.cancelled() {
                return Err(Failure::cancelled(false));
            }
            to.memory.write(offset, piece).map_err(of_device)?;
            offset += size_of_val(piece) as u64;
        }
        Ok(())
    }

    fn host(&self, words: usize) -> Result<Locked, String> {
        Locked::new(&self.context, words).map_err(|code| format!("{code:?}"))
    }

    fn read_into(&self, from: Part<'_, Self>, words: &mut [u32], sink: &dyn Sink) -> Result<(), Failure> {
        let mut offset = from.offset;
        for piece in words.chunks_mut(CHUNK) {
            if sink.cancelled() {
                return Err(Failure::cancelled(false));
            }
            from.memory.read(offset, piece).map_err(of_device)?;
            offset += size_of_val(piece) as u64;
        }
        Ok(())
    }

    fn compile(&self, launch: &Launch, buffers: &[BufferSpec], _: Guards) -> Result<Kernel, Failure> {
        Kernel::new(self, launch, buffers)
    }

    fn compiled(&self, kernel: &Kernel, launch: &Launch) -> Result<Option<Compiled>, Failure> {
        kernel.compiled(self, launch).map(Some).map_err(|code| of_kernel(launch, code))
    }

    fn bind(
        &self,
        kernel: &Kernel,
        launch: &Launch,
        buffers: &[BufferSpec],
        parts: &[Part<'_, Self>],
    ) -> Result<Arguments, Failure> {
        kernel.arguments(launch, buffers, parts).map_err(|code| of_kernel(launch, code))
    }

    fn keeps_order(&self, _: &Kernel) -> bool {
        true
    }

    fn record<'a>(&'a self, commands: Vec<Command<'a, Self>>, whole: bool) -> Result<Recorded<'a>, Failure> {
        Recorded::new(self, commands, whole)
    }

    fn submit(&self, recorded: &mut Recorded<'_>) -> Result<(), Failure> {
        recorded.submit()
    }

    fn finish(&self, recorded: &mut Recorded<'_>, sink: &dyn Sink) -> Result<Vec<f64>, Failure> {
        recorded.finish(sink)
    }

    fn products(&self) -> Result<(String, Option<String>), Failure> {
        if self.cublas.get().is_none() {
            let opened = Cublas::open(&self.context).map_err(|why| {
                Diagnostic::error(format!("the library rung needs cuBLAS: {why}")).hint(probe::GET_CUBLAS)
            })?;
            // It was just seen to be empty.
            let _ = self.cublas.set(opened);
        }
        Ok(("cuBLAS".to_owned(), self.cublas.get().map(|cublas| cublas.version.clone())))
    }
}

fn of_device(code: Code) -> Failure {
    failure("the device", code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_a_function_is_a_failure_and_no_end() {
        let failed = guarded::<()>(|| panic!("cuNothing is missing"));
        assert!(failed.is_err_and(|f| f.fatal
            && f.diagnostic.message.contains("cuNothing is missing")
            && f.diagnostic.hint.is_some()));
    }
}
