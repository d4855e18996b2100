//! Keeping a GPU's clock up while it is measured, with a load for its arithmetic units.

use super::buffers::Residents;
use super::device::Gpu;
use super::pipeline::{Bound, Kernel};
use super::stopwatch::Stopwatch;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::own;
use crate::gpu::pace::{FIRST_WAKE_S, GROUPS, Pace, TOGETHER, TURNS};
use crate::job::Job;
use crate::trace::record::Warning;

/// A load for the arithmetic units, whose time tells the clock.
pub(super) struct Awake {
    job: Job,
    kernel: Kernel,
    bound: Bound,
    watch: Stopwatch,
    pace: Pace,
}

impl Awake {
    /// Prepares the load and wakes the device; none for devices whose clock is the CPU's, or that have no timestamps.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn new(gpu: &Gpu, sink: &mut dyn Sink) -> Result<Option<Self>, Failure> {
        if gpu.description.software || !gpu.description.timestamps {
            return Ok(None);
        }
        let job = own::fma(GROUPS, TURNS);
        let kernel = Kernel::compile(gpu, &job)?;
        let residents = Residents::fill(gpu, &job, sink, |_, _| ())?;
        let bound = kernel.bind(gpu, &job, |i| residents.of_set(0, i))?;
        let mut awake = Self { job, kernel, bound, watch: Stopwatch::new(gpu)?, pace: Pace::new() };
        awake.wake_for(gpu, FIRST_WAKE_S, sink)?;
        if let Some(fewer) = awake.pace.fewer_groups() {
            awake.job.grid = [fewer, 1, 1];
            awake.pace = Pace::new();
            awake.wake_for(gpu, 0.0, sink)?;
        }
        Ok(Some(awake))
    }

    /// Keeps the device busy until it is as fast as it has been before.
    ///
    /// # Errors
    /// When the device fails or the request is cancelled.
    pub(super) fn wake(&mut self, gpu: &Gpu, sink: &mut dyn Sink) -> Result<(), Failure> {
        self.wake_for(gpu, 0.0, sink)
    }

    fn wake_for(&mut self, gpu: &Gpu, least_s: f64, sink: &mut dyn Sink) -> Result<(), Failure> {
        let mut pace = std::mem::replace(&mut self.pace, Pace::new());
        let woken = pace.wake(least_s, || self.load(gpu, sink));
        self.pace = pace;
        woken
    }

    /// Seconds of one load now.
    fn load(&self, gpu: &Gpu, sink: &mut dyn Sink) -> Result<f64, Failure> {
        let mut encoder = gpu.encoder();
        self.encode(&mut encoder, Some(self.watch.around_pass()), TOGETHER);
        self.watch.collect(&mut encoder);
        Ok(self.watch.seconds(gpu, encoder, sink)? / f64::from(TOGETHER))
    }

    /// The warning that a device deserves which is slower now, after a measurement, than it has been.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn warning(&mut self, gpu: &Gpu, sink: &mut dyn Sink) -> Result<Option<Warning>, Failure> {
        let seconds = self.load(gpu, sink)?;
        Ok(self.pace.warning(seconds))
    }

    /// Submits one load without waiting for it. What is submitted next begins when it ends.
    pub(super) fn fill(&self, gpu: &Gpu) {
        let mut encoder = gpu.encoder();
        self.encode(&mut encoder, None, 1);
        gpu.queue.submit([encoder.finish()]);
    }

    fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
        times: u32,
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: None, timestamp_writes });
        for _ in 0..times {
            self.kernel.dispatch(&mut pass, &self.bound, self.job.grid);
        }
    }
}
