//! Running, checking and timing jobs on any device: one bench over the trait of [`super::driver`].

mod awake;
mod ceilings;
mod launches;
mod library;
mod prepared;
mod profile;
mod residents;
pub(super) mod share;

use self::awake::Awake;
use self::launches::Timed;
use self::prepared::Prepared;
use super::backend::{Failure, Sink, WithoutSamples, stage};
use super::driver::Driver;
use super::limits;
use super::not_a_number;
use super::walk::{Walked, walk};
use crate::base::units::Work;
use crate::job::Job;
use crate::measure::warnings;
use crate::trace::record::{Ceilings, PassRecord, Record, Warning};

/// A device and what was found out about it.
pub(super) struct Bench<D: Driver> {
    // Fields are dropped in this order: the load goes before its device.
    /// Prepared when something is first measured; None within where the device needs no waking.
    awake: Option<Option<Awake<D>>>,
    pub driver: D,
    /// As far as they were measured.
    ceilings: Ceilings,
    /// That the driver computes wrongly.
    broken: Option<Warning>,
}

impl<D: Driver> Bench<D> {
    /// Nothing was measured yet.
    pub fn new(driver: D, broken: Option<Warning>) -> Self {
        Self { awake: None, driver, ceilings: Ceilings::default(), broken }
    }

    /// The device's ceilings.
    pub fn ceilings(&mut self, sink: &mut dyn Sink) -> Result<Ceilings, Failure> {
        let mut awake = awake(&mut self.awake, &self.driver, sink)?;
        self.ceilings = ceilings::measure(&self.driver, &mut awake, sink)?;
        Ok(self.ceilings)
    }

    /// Compiles, runs, checks and times a job.
    ///
    /// # Errors
    /// When a kernel does not compile, the job does not fit the device, or the device fails.
    pub fn run(&mut self, job: &Job, sink: &mut dyn Sink) -> Result<Record, Failure> {
        if let Some(diagnostic) = limits::check(job, self.driver.device()).into_iter().next() {
            return Err(diagnostic.into());
        }
        let mut prepared = Prepared::new(&self.driver, job, sink)?;
        stage(sink, "running")?;
        let walked = walk(job, &mut prepared.host(sink), true)?;
        let trail = walked.trail.clone();
        let is_not_a_number = not_a_number::is_in_series(&walked);
        let mut record = record(job, &prepared, walked)?;
        record.warnings.extend(self.broken.clone());
        if is_not_a_number {
            prepared.begin_again(sink)?;
            record.warnings.extend(not_a_number::first(job, &mut prepared.host(sink))?);
            prepared.begin_again(sink)?;
        }
        let Some(spec) = job.measure.as_ref().filter(|_| record.trusted()) else { return Ok(record) };
        let mut awake = awake(&mut self.awake, &self.driver, sink)?;
        if self.ceilings.launch_s.is_none() {
            self.ceilings.launch_s =
                Some(ceilings::launch(&self.driver, &mut awake, &mut WithoutSamples(sink, "timing an empty launch"))?);
        }
        stage(sink, "measuring")?;
        prepared.residents.multiply(&self.driver, job, spec.cold, sink)?;
        if !job.is_single() {
            // The timed run is one piece, and the device's own doing: its result must be the same.
            record.checks = prepared.check_whole(&trail, record.checks, sink)?;
            if !record.trusted() {
                return Ok(record);
            }
        }
        let (timing, slow) = prepared.time(spec, &Timed::Program(&trail), &mut awake, sink)?;
        record.warnings.extend(slow);
        let around = warnings::Circumstances {
            device: self.driver.device(),
            ceilings: &self.ceilings,
            spec,
            footprint_bytes: job.footprint(),
            bounds_checks: job.bounds_checks && D::GUARDS,
        };
        record.warnings.extend(warnings::of(&timing, &around));
        if job.is_single() {
            record.passes[0].timing = Some(timing.clone());
            record.passes[0].timed_launches = 1;
            match library::measure(&mut prepared, spec, &mut awake, sink) {
                Ok(run) => record.passes[0].library = run,
                // The kernel's own result is kept.
                Err(failure) if !failure.fatal && !sink.cancelled() => record.warnings.push(library::missing(failure)),
                Err(failure) => return Err(failure),
            }
        } else {
            profile::measure(&prepared, &trail, spec, &mut awake, &mut record.passes, sink)?;
        }
        record.timing = Some(timing);
        Ok(record)
    }
}

/// The record of a job that was walked through once.
fn record<D: Driver>(job: &Job, prepared: &Prepared<'_, D>, walked: Walked) -> Result<Record, Failure> {
    let mut passes = Vec::new();
    for (i, pass) in job.passes.iter().enumerate() {
        let launch = pass.launch();
        let launches = walked.launches[i];
        passes.push(PassRecord {
            id: pass.id.clone(),
            kernel: launch.map(|launch| launch.kernel.clone()),
            launches,
            work: pass.work.times(launches),
            compiled: prepared.compiled(i)?,
            ..PassRecord::default()
        });
    }
    let work = job.work.unwrap_or_else(|| passes.iter().fold(Work::default(), |sum, pass| sum + pass.work));
    Ok(Record {
        program: job.program.clone(),
        backend: D::BACKEND,
        rounds: walked.rounds.clone(),
        series: walked.series.clone(),
        looks: walked.looks.clone(),
        film: walked.film.clone(),
        checks: walked.checks(),
        passes,
        work,
        timing: None,
        unwritten: Vec::new(),
        warnings: Vec::new(),
    })
}

/// The load that keeps the device awake, prepared at the first call.
fn awake<'a, D: Driver>(
    slot: &'a mut Option<Option<Awake<D>>>,
    driver: &D,
    sink: &mut dyn Sink,
) -> Result<Option<&'a mut Awake<D>>, Failure> {
    let prepared = match slot.take() {
        Some(prepared) => prepared,
        None => {
            stage(sink, "waking the device")?;
            Awake::new(driver, sink)?
        }
    };
    Ok(slot.insert(prepared).as_mut())
}
