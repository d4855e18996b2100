//! Runs of a program as samples: over rotating buffers, in order, between two readings of a clock.

use std::collections::BTreeMap;
use std::time::Instant;

use super::awake::Awake;
use super::prepared::{Bounds, Prepared};
use crate::gpu::backend::{Event, Failure, Sink};
use crate::gpu::driver::{Command, Driver};
use crate::gpu::walk::Turn;
use crate::job::Product;
use crate::measure::sampling::{Conditions, Sampler};

/// Seconds that the host's clock cannot tell apart from a submission and a wait.
const HOST_STEP_S: f64 = 20e-6;

/// Launches that one sample may hold: about as many as a driver takes in before it makes the host wait.
const MAX_LAUNCHES: u64 = 1024;

/// From this many launches on, a sample is submitted in one piece, because the host might be slower than the device.
/// Fewer are all submitted before the load ahead of them ends.
const IN_ONE_PIECE: u64 = 16;

/// The work that is sampled.
pub(super) enum Timed<'a> {
    /// The program, whose passes come in this order.
    Program(&'a [Turn]),
    /// The driver's copy of one buffer to another.
    Copy {
        /// Index of the buffer that is read.
        from: usize,
        /// Index of the buffer that is written.
        to: usize,
    },
    /// A library's product of buffers.
    Product {
        /// Indices of A, B and C.
        buffers: [usize; 3],
        product: &'a Product,
    },
}

/// Who sets the pace of the runs that one sample holds.
pub(super) enum Pacing<'a, D: Driver> {
    /// The device. It is kept busy between samples, so that its clock rate stays high, and launches queue behind
    /// running work.
    Device(Option<&'a mut Awake<D>>),
    /// The host, as in a program that launches one kernel after the other on an idle device.
    Host,
}

/// A job with its buffer sets.
pub(super) struct Launches<'a, D: Driver> {
    prepared: &'a Prepared<'a, D>,
    /// One for each set.
    bounds: &'a [Bounds<D>],
    what: &'a Timed<'a>,
    next: u64,
    pacing: Pacing<'a, D>,
    /// Recordings handed over in one piece, by the number of their runs and their first set.
    recorded: BTreeMap<(u64, u64), D::Recorded<'a>>,
    started: Instant,
    sink: &'a mut dyn Sink,
}

impl<'a, D: Driver> Launches<'a, D> {
    /// Runs of what is timed, over the sets that are bound.
    pub fn new(
        prepared: &'a Prepared<'a, D>,
        bounds: &'a [Bounds<D>],
        what: &'a Timed<'a>,
        pacing: Pacing<'a, D>,
        sink: &'a mut dyn Sink,
    ) -> Self {
        Self { prepared, bounds, what, next: 0, pacing, recorded: BTreeMap::new(), started: Instant::now(), sink }
    }

    /// Launches of one run.
    fn each(&self) -> u64 {
        match self.what {
            Timed::Program(trail) => trail.len() as u64,
            Timed::Copy { .. } | Timed::Product { .. } => 1,
        }
    }

    /// The conditions of the samples.
    pub fn conditions(&self) -> Conditions {
        let sets = self.prepared.residents.sets();
        let max_runs = if self.prepared.residents.needs_restoring() {
            // Between two runs on the same set its buffers have to be restored, and that is not to be timed.
            sets
        } else if sets > 1 && !self.prepared.keeps_order() {
            // Runs on different sets might overlap.
            1
        } else {
            MAX_LAUNCHES
        };
        Conditions {
            cache: self.prepared.residents.cache(),
            device_clock: self.prepared.driver.clock_step_s().is_some(),
            resolution_s: self.prepared.driver.clock_step_s().unwrap_or(HOST_STEP_S),
            max_launches: u32::try_from(max_runs.min(MAX_LAUNCHES / self.each().max(1)).max(1)).unwrap_or(1),
        }
    }

    fn commands(&self, set: u64) -> Vec<Command<'a, D>> {
        let prepared = self.prepared;
        let of = |buffer: usize| prepared.residents.of_set(set, buffer);
        match self.what {
            Timed::Program(trail) => prepared.program(trail, set, &self.bounds[usize::try_from(set).unwrap_or(0)]),
            Timed::Copy { from, to } => vec![Command::Copy { from: of(*from), to: of(*to) }],
            Timed::Product { buffers, product } => {
                let elems = buffers.map(|buffer| prepared.job.buffers[buffer].elem);
                vec![Command::Product { parts: buffers.map(of), elems, product }]
            }
        }
    }

    /// Runs between two marks.
    fn record(&self, runs: u64, whole: bool) -> Result<D::Recorded<'a>, Failure> {
        let mut commands = vec![Command::Mark(0)];
        commands.extend(self.sets(runs).flat_map(|set| self.commands(set)));
        commands.push(Command::Mark(1));
        self.prepared.driver.record(commands, whole)
    }

    /// The sets that the next runs are on.
    fn sets(&self, runs: u64) -> impl Iterator<Item = u64> + use<D> {
        let (next, sets) = (self.next, self.prepared.residents.sets());
        (next..next + runs).map(move |i| i % sets)
    }

    /// Keeps the device busy meanwhile.
    fn load(&mut self) -> Result<(), Failure> {
        match &mut self.pacing {
            Pacing::Device(Some(awake)) => awake.load(self.prepared.driver),
            Pacing::Device(None) | Pacing::Host => Ok(()),
        }
    }

    fn submit(&mut self, runs: u64) -> Result<f64, Failure> {
        let driver = self.prepared.driver;
        let whole = runs * self.each() >= IN_ONE_PIECE && matches!(self.pacing, Pacing::Device(_)) || self.each() > 1;
        let which = (runs, self.next);
        let mut recorded = match self.recorded.remove(&which) {
            Some(recorded) => recorded,
            None => self.record(runs, whole)?,
        };
        if D::LOAD_FIRST {
            self.load()?;
        }
        let start = Instant::now();
        driver.submit(&mut recorded)?;
        let by_host = driver.clock_step_s().is_none();
        let mut readings = if by_host { driver.finish(&mut recorded, self.sink)? } else { Vec::new() };
        let waited_s = start.elapsed().as_secs_f64();
        // After the runs and not before them: a set's turn comes again when others have pushed it out of the cache.
        let residents = &self.prepared.residents;
        let restoring: Vec<Command<'_, D>> = self.sets(runs).flat_map(|set| residents.restoring(set)).collect();
        if !restoring.is_empty() {
            driver.submit(&mut driver.record(restoring, false)?)?;
        }
        if !D::LOAD_FIRST {
            self.load()?;
        }
        if !by_host {
            readings = driver.finish(&mut recorded, self.sink)?;
        }
        if whole {
            self.recorded.insert(which, recorded);
        }
        self.next = (self.next + runs) % residents.sets();
        let seconds = match readings[..] {
            [start, end, ..] if !by_host => end - start,
            _ => waited_s,
        };
        Ok(seconds)
    }
}

impl<D: Driver> Sampler for Launches<'_, D> {
    type Error = Failure;

    fn sample(&mut self, runs: u32) -> Result<f64, Failure> {
        let seconds = self.submit(runs.into())?;
        self.sink.event(Event::Sample(seconds / f64::from(runs)));
        Ok(seconds)
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
