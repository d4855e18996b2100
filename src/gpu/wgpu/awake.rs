//! Keeping a GPU's clock up while it is measured: an idle one slows down, and short kernels with waits between them look idle.
//!
//! Seen on an H100: idle at 345 of 1,980 MHz; a third of a second of full load wakes it, while a kernel of 8 µs launched every
//! 200 µs takes 17 µs for ever.

use std::time::Instant;

use super::buffers::Residents;
use super::ceilings;
use super::device::Gpu;
use super::pipeline::{Bound, Kernel};
use super::stopwatch::Stopwatch;
use crate::base::units::digits3;
use crate::gpu::backend::{Failure, Sink};
use crate::job::Job;
use crate::trace::record::{Warning, WarningKind};

/// Workgroups of the load at first, and turns of its loop: about 0.14 ms on an H100.
const GROUPS: u32 = 4096;
const TURNS: u32 = 32;

/// How long one load should take, in seconds; slower devices get fewer workgroups. As long as what the host needs between two samples,
/// so that the device is busy at least half of the time.
const LOAD_S: f64 = 150e-6;

/// Loads that are timed together while waking: some milliseconds without a gap.
const TOGETHER: u32 = 32;

/// The first time, nothing is known of how fast the device can be: as long as the slowest governor seen takes, with some to spare.
const FIRST_WAKE_S: f64 = 0.4;

/// A device that has not come up after this long does not come up.
const LONGEST_WAKE_S: f64 = 1.0;

/// Within this factor of its best the device is awake.
const AWAKE: f64 = 1.03;

/// Beyond this factor of its best the device is too slow to say nothing of it.
const SLOW: f64 = 1.1;

/// A load for the arithmetic units, whose time tells the clock.
pub(super) struct Awake {
    job: Job,
    kernel: Kernel,
    bound: Bound,
    watch: Stopwatch,
    /// The shortest time of one load so far.
    best_s: f64,
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
        let job = ceilings::fma_job(GROUPS, TURNS);
        let kernel = Kernel::compile(gpu, &job)?;
        let residents = Residents::fill(gpu, &job, sink, |_, _| ())?;
        let bound = kernel.bind(gpu, &job, |i| residents.of_set(0, i))?;
        let mut awake = Self { job, kernel, bound, watch: Stopwatch::new(gpu)?, best_s: f64::INFINITY };
        awake.wake_for(gpu, FIRST_WAKE_S, sink)?;
        if awake.best_s > LOAD_S {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most GROUPS")]
            let fewer = (f64::from(GROUPS) * LOAD_S / awake.best_s).max(1.0) as u32;
            awake.job.grid = [fewer, 1, 1];
            awake.best_s = f64::INFINITY;
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
        let start = Instant::now();
        let mut in_a_row = 0;
        loop {
            let slowdown = self.slowdown(gpu, sink)?;
            in_a_row = if slowdown <= AWAKE { in_a_row + 1 } else { 0 };
            let passed = start.elapsed().as_secs_f64();
            if (passed >= least_s && in_a_row >= 3) || passed >= LONGEST_WAKE_S.max(least_s) {
                return Ok(());
            }
        }
    }

    /// How much slower the device is now than at its best; 1 is as fast.
    fn slowdown(&mut self, gpu: &Gpu, sink: &mut dyn Sink) -> Result<f64, Failure> {
        let mut encoder = gpu.encoder();
        self.encode(&mut encoder, Some(self.watch.around_pass()), TOGETHER);
        self.watch.collect(&mut encoder);
        let seconds = self.watch.seconds(gpu, encoder, sink)? / f64::from(TOGETHER);
        self.best_s = self.best_s.min(seconds);
        Ok(seconds / self.best_s)
    }

    /// The warning that a device deserves which is slower now, after a measurement, than it has been.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn warning(&mut self, gpu: &Gpu, sink: &mut dyn Sink) -> Result<Option<Warning>, Failure> {
        let slowdown = self.slowdown(gpu, sink)?;
        Ok((slowdown > SLOW).then(|| Warning {
            kind: WarningKind::SlowClock,
            message: format!("the device runs {}x slower now than it did before", digits3(slowdown)),
            hint: "let it cool, plug it in, or end what else uses it; then run again".to_owned(),
        }))
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
