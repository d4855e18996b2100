//! Keeping a GPU's clock up while it is measured, with a load for its arithmetic units.

use super::residents::Residents;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::builtin_kernels;
use crate::gpu::driver::{Command, Driver, Guards};
use crate::gpu::pace::{FIRST_WAKE_S, GROUPS, Pace, TOGETHER, TURNS};
use crate::job::Job;
use crate::trace::record::Warning;

/// A load for the arithmetic units, whose time tells the clock.
pub(super) struct Awake<D: Driver> {
    // Dropped in this order: what is bound goes before its kernel, and both before the memory.
    bound: D::Bound,
    kernel: D::Kernel,
    groups: u32,
    pace: Pace,
    /// Where the load writes; held until the load has gone.
    _residents: Residents<D>,
}

impl<D: Driver> Awake<D> {
    /// Prepares the load and wakes the device; None for devices whose clock is the CPU's, or that cannot be read.
    pub fn new(driver: &D, sink: &mut dyn Sink) -> Result<Option<Self>, Failure> {
        if driver.device().software || driver.clock_step_s().is_none() {
            return Ok(None);
        }
        let job: Job = builtin_kernels::fma(GROUPS, TURNS);
        let Some(launch) = job.launches().next() else { return Ok(None) };
        let kernel = driver.compile(launch, &job.buffers, Guards { indices: false, loops: false })?;
        let residents = Residents::fill(driver, &job, sink)?;
        let bound = driver.bind(&kernel, launch, &job.buffers, &residents.set(0))?;
        let mut awake = Self { bound, kernel, groups: GROUPS, pace: Pace::new(), _residents: residents };
        awake.wake_for(driver, FIRST_WAKE_S, sink)?;
        if let Some(fewer) = awake.pace.fewer_groups() {
            awake.groups = fewer;
            awake.pace = Pace::new();
            awake.wake_for(driver, 0.0, sink)?;
        }
        Ok(Some(awake))
    }

    /// Keeps the device busy until it is as fast as it has been before.
    ///
    /// # Errors
    /// When the device fails or the request is cancelled.
    pub fn wake(&mut self, driver: &D, sink: &mut dyn Sink) -> Result<(), Failure> {
        self.wake_for(driver, 0.0, sink)
    }

    fn wake_for(&mut self, driver: &D, least_s: f64, sink: &mut dyn Sink) -> Result<(), Failure> {
        let mut pace = std::mem::replace(&mut self.pace, Pace::new());
        let woken = pace.wake(least_s, || self.seconds(driver, sink));
        self.pace = pace;
        woken
    }

    fn command(&self) -> Command<'_, D> {
        Command::Launch { kernel: &self.kernel, bound: &self.bound, grid: [self.groups, 1, 1] }
    }

    /// Seconds of one load now.
    fn seconds(&self, driver: &D, sink: &mut dyn Sink) -> Result<f64, Failure> {
        let loads = (0..TOGETHER).map(|_| self.command());
        let commands = [Command::Mark(0)].into_iter().chain(loads).chain([Command::Mark(1)]).collect();
        let mut recorded = driver.record(commands, false)?;
        driver.submit(&mut recorded)?;
        let readings = driver.finish(&mut recorded, sink)?;
        let [start, end, ..] = readings[..] else { return Ok(f64::INFINITY) };
        Ok((end - start) / f64::from(TOGETHER))
    }

    /// The warning about slow clocks if the device is slower now, after a measurement, than before.
    pub fn warning(&mut self, driver: &D, sink: &mut dyn Sink) -> Result<Option<Warning>, Failure> {
        let seconds = self.seconds(driver, sink)?;
        Ok(self.pace.warning(seconds))
    }

    /// Submits one load without waiting for it. What is submitted next begins when it ends.
    pub fn load(&self, driver: &D) -> Result<(), Failure> {
        driver.submit(&mut driver.record(vec![self.command()], false)?)
    }
}
