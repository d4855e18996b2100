//! Keeping a GPU's clock up while it is measured, with a load for its arithmetic units.

use super::buffers::Residents;
use super::device::Gpu;
use super::driver::{Arguments, Event, Outcome};
use super::error::failure;
use super::{Kernel, compile};
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::own;
use crate::gpu::pace::{FIRST_WAKE_S, GROUPS, Pace, TOGETHER, TURNS};
use crate::trace::record::Warning;

/// A load whose time tells the clock.
pub(super) struct Awake {
    kernel: Kernel,
    arguments: Arguments,
    grid: [u32; 3],
    clock: [Event; 2],
    pace: Pace,
    /// Where the load writes; held until the load has gone.
    _residents: Residents,
}

impl Awake {
    /// Prepares the load and wakes the device.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn new(gpu: &Gpu, sink: &dyn Sink) -> Result<Self, Failure> {
        let job = own::fma(GROUPS, TURNS);
        let image = compile::compile(&job, Some(gpu.architecture))?;
        let kernel = Kernel::load(gpu, &job, &image)?;
        let residents = Residents::fill(gpu, &job, sink, |_, _| ())?;
        let event = || Event::new(&gpu.context).map_err(|code| failure("the device", code));
        let mut awake = Self {
            kernel,
            arguments: residents.arguments(&job, 0).map_err(|code| failure("the device", code))?,
            grid: job.grid,
            clock: [event()?, event()?],
            pace: Pace::new(),
            _residents: residents,
        };
        awake.wake_for(gpu, FIRST_WAKE_S, sink)?;
        if let Some(fewer) = awake.pace.fewer_groups() {
            awake.grid = [fewer, 1, 1];
            awake.pace = Pace::new();
            awake.wake_for(gpu, 0.0, sink)?;
        }
        Ok(awake)
    }

    /// Keeps the device busy until it is as fast as it has been before.
    ///
    /// # Errors
    /// When the device fails or the request is cancelled.
    pub(super) fn wake(&mut self, gpu: &Gpu, sink: &dyn Sink) -> Result<(), Failure> {
        self.wake_for(gpu, 0.0, sink)
    }

    fn wake_for(&mut self, gpu: &Gpu, least_s: f64, sink: &dyn Sink) -> Result<(), Failure> {
        let mut pace = std::mem::replace(&mut self.pace, Pace::new());
        let woken = pace.wake(least_s, || self.load(gpu, sink));
        self.pace = pace;
        woken
    }

    /// Seconds of one load now.
    fn load(&mut self, gpu: &Gpu, sink: &dyn Sink) -> Result<f64, Failure> {
        let failed = |code| failure("the device", code);
        self.clock[0].record().map_err(failed)?;
        for _ in 0..TOGETHER {
            self.fill().map_err(failed)?;
        }
        let [start, end] = &self.clock;
        end.record().map_err(failed)?;
        gpu.wait(end, sink, failed)?;
        Ok(end.seconds_since(start).map_err(failed)? / f64::from(TOGETHER))
    }

    /// The warning that a device deserves which is slower now, after a measurement, than it has been.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn warning(&mut self, gpu: &Gpu, sink: &dyn Sink) -> Result<Option<Warning>, Failure> {
        let seconds = self.load(gpu, sink)?;
        Ok(self.pace.warning(seconds))
    }

    /// Submits one load without waiting for it. What is submitted next begins when it ends.
    pub(super) fn fill(&mut self) -> Outcome<()> {
        self.kernel.launch_on(self.grid, &mut self.arguments)
    }
}
