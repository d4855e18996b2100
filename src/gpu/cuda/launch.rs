//! Launches as samples: rotating buffers, in order, between two readings of the device's clock.

use std::collections::BTreeMap;
use std::time::Instant;

use super::Prepared;
use super::awake::Awake;
use super::driver::{Arguments, Event, Graph, Outcome};
use super::error::{failure, of_kernel};
use crate::gpu::backend::{Event as Progress, Failure, Sink};
use crate::measure::sampling::{Conditions, Sampler};

/// Launches that one sample may hold: about as many as a driver takes in before it makes the host wait.
const MAX_LAUNCHES: u64 = 1024;

/// Launches from which on they are captured once and submitted as one graph: the host might be slower than the device. Fewer have been
/// submitted before the filler's load ends.
const CAPTURED: u64 = 16;

/// Who sets the pace of the launches that one sample holds.
pub(super) enum Pacing<'a> {
    /// The device: it works on between two samples, so that its clock stays up, and launches wait for it and not it for them.
    Device(&'a mut Awake),
    /// The host, as in a program that launches one kernel after the other on an idle device.
    Host,
}

/// What is sampled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// The job's kernel.
    Kernel,
    /// The driver's copy of one of the job's buffers to another.
    Copy {
        /// Index of the buffer that is read.
        from: usize,
        /// Index of the buffer that is written.
        to: usize,
    },
}

/// A kernel with its buffer sets.
pub(super) struct Launches<'a> {
    prepared: &'a Prepared<'a>,
    work: Work,
    /// One for each set.
    arguments: Vec<Arguments>,
    next: u64,
    clock: [Event; 2],
    pacing: Pacing<'a>,
    /// Captured launches, by how many there are and which set is the first.
    graphs: BTreeMap<(u64, u64), Graph>,
    started: Instant,
    sink: &'a mut dyn Sink,
}

impl<'a> Launches<'a> {
    /// # Errors
    /// When the driver refuses.
    pub(super) fn new(
        prepared: &'a Prepared<'a>,
        work: Work,
        pacing: Pacing<'a>,
        sink: &'a mut dyn Sink,
    ) -> Result<Self, Failure> {
        let event = || Event::new(&prepared.gpu.context).map_err(|code| failure("the device", code));
        let arguments =
            (0..prepared.residents.sets()).map(|set| prepared.residents.arguments(prepared.job, set)).collect();
        let clock = [event()?, event()?];
        let (graphs, started) = (BTreeMap::new(), Instant::now());
        Ok(Self { prepared, work, arguments, next: 0, clock, pacing, graphs, started, sink })
    }

    /// What the samples are made of.
    pub(super) fn conditions(&self) -> Conditions {
        let residents = &self.prepared.residents;
        // Between two launches on the same set its buffers have to be restored, and that is not to be timed.
        let max_launches = if residents.needs_restoring() { residents.sets() } else { MAX_LAUNCHES };
        Conditions {
            cache: residents.cache(),
            device_clock: true,
            resolution_s: self.prepared.gpu.clock_resolution_s,
            max_launches: u32::try_from(max_launches.min(MAX_LAUNCHES)).unwrap_or(1),
        }
    }

    /// Hands everything to the device, without waiting for any of it.
    fn submit(&mut self, launches: u64) -> Outcome<()> {
        let residents = &self.prepared.residents;
        let sets = residents.sets();
        let which = (launches, self.next);
        let captured = launches >= CAPTURED && matches!(self.pacing, Pacing::Device(_));
        if captured && !self.graphs.contains_key(&which) {
            let graph = Graph::capture(&self.prepared.gpu.context, || self.submit_each(launches))?;
            self.graphs.insert(which, graph);
        }
        self.clock[0].record()?;
        match self.graphs.get(&which) {
            Some(graph) => graph.launch()?,
            None => self.submit_each(launches)?,
        }
        self.clock[1].record()?;
        // After the launches and not before them: a set's turn comes again when others have pushed it out of the cache.
        for set in (self.next..self.next + launches).map(|i| i % sets) {
            residents.restore(set)?;
        }
        self.next = (self.next + launches) % sets;
        match &mut self.pacing {
            Pacing::Device(awake) => awake.fill(),
            Pacing::Host => Ok(()),
        }
    }

    /// Submits one launch after the other.
    fn submit_each(&mut self, launches: u64) -> Outcome<()> {
        let residents = &self.prepared.residents;
        let sets = residents.sets();
        for set in (self.next..self.next + launches).map(|i| i % sets) {
            match self.work {
                Work::Kernel => {
                    let arguments = &mut self.arguments[usize::try_from(set).unwrap_or(0)];
                    self.prepared.launch(arguments)?;
                }
                Work::Copy { from, to } => {
                    let ((from, from_offset), (to, offset)) = (residents.of_set(set, from), residents.of_set(set, to));
                    to.copy(offset, from, from_offset, self.prepared.job.buffers[self.copied()].bytes())?;
                }
            }
        }
        Ok(())
    }

    /// The buffer whose size a copy has.
    fn copied(&self) -> usize {
        match self.work {
            Work::Copy { to, .. } => to,
            Work::Kernel => 0,
        }
    }
}

impl Sampler for Launches<'_> {
    type Error = Failure;

    fn sample(&mut self, launches: u32) -> Result<f64, Failure> {
        let prepared = self.prepared;
        self.submit(launches.into()).map_err(|code| of_kernel(prepared.job, code))?;
        let [start, end] = &self.clock;
        prepared.gpu.wait(end, &*self.sink, |code| of_kernel(prepared.job, code))?;
        let seconds = end.seconds_since(start).map_err(|code| failure("the device", code))?;
        self.sink.event(Progress::Sample(seconds / f64::from(launches)));
        Ok(seconds)
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
