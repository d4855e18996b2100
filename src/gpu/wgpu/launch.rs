//! Launches as samples: rotating buffers, in order, between two readings of a clock.

use std::time::Instant;

use super::Prepared;
use super::awake::Awake;
use super::buffers::Residents;
use super::device::Gpu;
use super::pipeline::{Bound, Kernel};
use super::stopwatch::Stopwatch;
use crate::gpu::backend::{Event, Failure, Sink};
use crate::job::Job;
use crate::measure::sampling::{Conditions, Sampler};

/// What the host's clock cannot tell apart from a submission and a wait, in seconds.
pub(super) const HOST_RESOLUTION_S: f64 = 20e-6;

/// Launches that one submission may hold.
const MAX_LAUNCHES: u64 = 1024;

/// A kernel with its buffer sets.
pub(super) struct Launches<'a> {
    gpu: &'a Gpu,
    job: &'a Job,
    kernel: &'a Kernel,
    residents: &'a Residents,
    /// One for each set.
    bound: Vec<Bound>,
    next: u64,
    watch: Option<Stopwatch>,
    awake: Option<&'a Awake>,
    started: Instant,
    sink: &'a mut dyn Sink,
}

impl<'a> Launches<'a> {
    /// # Errors
    /// When the driver refuses to bind the buffers.
    pub(super) fn new(
        prepared: &'a Prepared<'_>,
        awake: Option<&'a Awake>,
        sink: &'a mut dyn Sink,
    ) -> Result<Self, Failure> {
        let Prepared { gpu, job, kernel, residents } = prepared;
        let bound = (0..residents.sets())
            .map(|set| kernel.bind(gpu, job, |i| residents.of_set(set, i)))
            .collect::<Result<_, _>>()?;
        let watch = if gpu.description.timestamps { Some(Stopwatch::new(gpu)?) } else { None };
        Ok(Self { gpu, job, kernel, residents, bound, next: 0, watch, awake, started: Instant::now(), sink })
    }

    /// What the samples are made of.
    pub(super) fn conditions(&self) -> Conditions {
        let sets = self.residents.sets();
        let max_launches = if self.residents.needs_restoring() {
            // Between two launches on the same set its buffers have to be restored, and that is not to be timed.
            sets
        } else if sets > 1 && !self.kernel.keeps_order() {
            // Launches on different sets might overlap.
            1
        } else {
            MAX_LAUNCHES
        };
        Conditions {
            cache: self.residents.cache(),
            device_clock: self.watch.is_some(),
            resolution_s: self.gpu.clock_resolution_s.unwrap_or(HOST_RESOLUTION_S),
            max_launches: u32::try_from(max_launches.min(MAX_LAUNCHES)).unwrap_or(1),
        }
    }
}

impl Sampler for Launches<'_> {
    type Error = Failure;

    fn sample(&mut self, launches: u32) -> Result<f64, Failure> {
        let mut encoder = self.gpu.encoder();
        let sets: Vec<u64> = (0..u64::from(launches)).map(|i| (self.next + i) % self.residents.sets()).collect();
        self.next = (self.next + u64::from(launches)) % self.residents.sets();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: self.watch.as_ref().map(Stopwatch::around_pass),
            });
            for &set in &sets {
                let set = usize::try_from(set).unwrap_or(0);
                self.kernel.dispatch(&mut pass, &self.bound[set], self.job.grid);
            }
        }
        let seconds = match &self.watch {
            Some(watch) => {
                watch.collect(&mut encoder);
                // After the launches and not before them: a set's turn comes again when others have pushed it out of the cache.
                for &set in &sets {
                    self.residents.restore(&mut encoder, set);
                }
                if let Some(awake) = self.awake {
                    awake.fill(self.gpu);
                }
                watch.seconds(self.gpu, encoder, self.sink)?
            }
            None => {
                let start = Instant::now();
                self.gpu.finish(encoder, self.sink)?;
                let seconds = start.elapsed().as_secs_f64();
                let mut encoder = self.gpu.encoder();
                for &set in &sets {
                    self.residents.restore(&mut encoder, set);
                }
                self.gpu.finish(encoder, self.sink)?;
                seconds
            }
        };
        self.sink.event(Event::Sample(seconds / f64::from(launches)));
        Ok(seconds)
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
