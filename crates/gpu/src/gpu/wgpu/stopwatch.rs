//! The device's own clock, read before and after a piece of work.

use super::device::{Gpu, cause};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Event, Failure, Sink};

/// Readings that a device keeps at most (WebGPU's limit on a query set).
pub(super) const MOST: usize = 4096;

/// Timestamps and their way to the host.
pub(super) struct Stopwatch {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    period_s: f64,
    /// How many there are.
    pub(super) marks: usize,
}

impl Stopwatch {
    /// A stopwatch for `marks` readings at a time.
    pub(super) fn new(gpu: &Gpu, marks: usize) -> Result<Self, Failure> {
        let (count, size) = (u32::try_from(marks).unwrap_or(u32::MAX), 8 * marks as u64);
        let made = gpu.scoped(|| {
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count,
            });
            let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (queries, resolved)
        });
        let (queries, resolved) =
            made.map_err(|error| Diagnostic::error(format!("the device's clock cannot be used: {}", cause(&error))))?;
        let period_s = f64::from(gpu.queue.get_timestamp_period()) * 1e-9;
        Ok(Self { queries, resolved, staging: gpu.readable(size)?, period_s, marks })
    }

    /// For a compute pass: read the clock at its start and its end, as these readings.
    pub(super) fn around_pass(&self, start: usize, end: usize) -> wgpu::ComputePassTimestampWrites<'_> {
        let index = |mark| u32::try_from(mark).ok();
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: index(start),
            end_of_pass_write_index: index(end),
        }
    }

    /// Reads the clock here, between commands: where a driver cannot, in a pass that does nothing.
    pub(super) fn mark(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, mark: usize) {
        let index = u32::try_from(mark).unwrap_or(u32::MAX);
        if gpu.copy_timestamps {
            encoder.write_timestamp(&self.queries, index);
            return;
        }
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: Some(index),
                end_of_pass_write_index: None,
            }),
        }));
    }

    /// Adds to `encoder` that the first `marks` readings are sent to the host.
    pub(super) fn collect(&self, encoder: &mut wgpu::CommandEncoder, marks: usize) {
        encoder.resolve_query_set(&self.queries, 0..u32::try_from(marks).unwrap_or(0), &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, 8 * marks as u64);
    }

    /// Waits for a submission that [collects](Stopwatch::collect) readings, and returns their ticks.
    pub(super) fn ticks(
        &self,
        gpu: &Gpu,
        submission: &wgpu::SubmissionIndex,
        marks: usize,
        sink: &dyn Sink,
    ) -> Result<Vec<u64>, Failure> {
        let mut ticks = Vec::new();
        gpu.mapped(submission, &self.staging, 8 * marks as u64, sink, |bytes| {
            ticks = bytemuck::pod_collect_to_vec::<u8, u64>(bytes);
        })?;
        Ok(ticks)
    }

    /// As [`Stopwatch::ticks`], in seconds since the first.
    pub(super) fn seconds(
        &self,
        gpu: &Gpu,
        submission: &wgpu::SubmissionIndex,
        marks: usize,
        sink: &dyn Sink,
    ) -> Result<Vec<f64>, Failure> {
        let ticks = self.ticks(gpu, submission, marks, sink)?;
        let first = ticks.first().copied().unwrap_or(0);
        #[expect(clippy::cast_precision_loss, reason = "a span of ticks is far below 2^52")]
        Ok(ticks.into_iter().map(|tick| tick.saturating_sub(first) as f64 * self.period_s).collect())
    }
}

/// The seconds that the device's clock can tell apart: the largest step of which some readings are all multiples. A
/// driver may count in nanoseconds and still move only every 32 of them. None if the clock does not advance.
pub(super) fn resolution(gpu: &Gpu) -> Result<Option<f64>, Failure> {
    let watch = Stopwatch::new(gpu, 2)?;
    let mut step = 0;
    let mut first = None;
    for _ in 0..12 {
        let mut encoder = gpu.encoder();
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(watch.around_pass(0, 1)),
        }));
        watch.collect(&mut encoder, 2);
        let submission = gpu.queue.submit([encoder.finish()]);
        for reading in watch.ticks(gpu, &submission, 2, &Silent)? {
            step = gcd(step, reading.abs_diff(*first.get_or_insert(reading)));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a step of a clock is far below 2^52")]
    Ok((step > 0).then_some(step as f64 * watch.period_s))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A sink for work at the start, which cannot be cancelled or followed.
pub(super) struct Silent;

impl Sink for Silent {
    fn event(&mut self, _: Event) {}

    fn cancelled(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::gcd;

    #[test]
    fn steps() {
        assert_eq!([96, 160, 0, 320].into_iter().fold(0, gcd), 32);
        assert_eq!(gcd(0, 0), 0);
        assert_eq!(gcd(7, 1), 1);
    }
}
