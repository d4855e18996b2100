//! A device reached through wgpu: headless, every limit that its driver offers.

mod commands;
mod device;
mod memory;
mod pipeline;
mod probe;
mod stopwatch;
mod unchecked;

use self::commands::Recorded;
use self::device::Gpu;
use self::pipeline::{Bound, Kernel};
use super::backend::{Backend, Failure, Sink};
use super::bench::Bench;
use super::driver::{Command, Driver, Guards, Part, Work};
use crate::base::diag::Diagnostic;
use crate::job::{BufferSpec, Job, Launch};
use crate::trace::record::{self, Ceilings, Compiled, Device, Record};

/// The device and its bench.
pub(super) struct WgpuBackend(Bench<Gpu>);

/// Opens the best device, and looks whether it computes rightly.
///
/// # Errors
/// When there is no driver or no device, saying how to get one.
pub(super) fn open() -> Result<WgpuBackend, Diagnostic> {
    let gpu = Gpu::open()?;
    let broken = probe::broken_loops(&gpu).map_err(|failure| failure.diagnostic)?;
    Ok(WgpuBackend(Bench::new(gpu, broken)))
}

/// Opens the best device, and does `work` with it.
///
/// # Errors
/// When there is none, or `work` fails.
pub(super) fn with_device<W: Work>(work: W) -> Result<W::Output, Failure> {
    work.with(&Gpu::open()?)
}

impl Backend for WgpuBackend {
    fn describe(&mut self) -> Result<Device, Failure> {
        Ok(self.0.driver.description.clone())
    }

    fn ceilings(&mut self, sink: &mut dyn Sink) -> Result<Ceilings, Failure> {
        self.0.ceilings(sink)
    }

    fn run(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure> {
        self.0.run(job, sink)
    }
}

impl Driver for Gpu {
    type Memory = wgpu::Buffer;
    type Host = Vec<u32>;
    type Kernel = Kernel;
    type Bound = Bound;
    type Recorded<'a> = Recorded<'a>;

    const BACKEND: record::Backend = record::Backend::Wgpu;
    const GUARDS: bool = true;
    const LOAD_FIRST: bool = true;

    fn device(&self) -> &Device {
        &self.description
    }

    fn clock_step_s(&self) -> Option<f64> {
        self.clock_resolution_s.filter(|_| self.description.timestamps)
    }

    fn allocate(&self, bytes: u64) -> Result<wgpu::Buffer, String> {
        memory::create(self, bytes).map_err(|error| device::cause(&error))
    }

    fn write(&self, to: Part<'_, Self>, words: &[u32], sink: &dyn Sink) -> Result<(), Failure> {
        memory::upload(self, to, words, sink)
    }

    fn host(&self, words: usize) -> Result<Vec<u32>, String> {
        Ok(vec![0; words])
    }

    fn read_into(&self, from: Part<'_, Self>, words: &mut [u32], sink: &dyn Sink) -> Result<(), Failure> {
        memory::read_back(self, from, words, sink)
    }

    fn compile(&self, launch: &Launch, _: &[BufferSpec], guards: Guards) -> Result<Kernel, Failure> {
        Kernel::compile(self, launch, guards)
    }

    fn compiled(&self, _: &Kernel, _: &Launch) -> Result<Option<Compiled>, Failure> {
        Ok(None)
    }

    fn bind(
        &self,
        kernel: &Kernel,
        launch: &Launch,
        _: &[BufferSpec],
        parts: &[Part<'_, Self>],
    ) -> Result<Bound, Failure> {
        kernel.bind(self, launch, parts)
    }

    fn keeps_order(&self, kernel: &Kernel) -> bool {
        kernel.keeps_order()
    }

    fn record<'a>(&'a self, commands: Vec<Command<'a, Self>>, _: bool) -> Result<Recorded<'a>, Failure> {
        Recorded::new(self, commands)
    }

    fn submit(&self, recorded: &mut Recorded<'_>) -> Result<(), Failure> {
        recorded.submit(self)
    }

    fn finish(&self, recorded: &mut Recorded<'_>, sink: &dyn Sink) -> Result<Vec<f64>, Failure> {
        recorded.finish(self, sink)
    }

    fn products(&self) -> Result<(String, Option<String>), Failure> {
        Err(Diagnostic::error("graphics drivers have no library for products of matrices").into())
    }
}
