//! The device's own clock, read before and after a piece of work.

use super::buffers;
use super::device::{Gpu, cause};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Event, Failure, Sink};

/// Two timestamps and their way to the host.
pub(super) struct Stopwatch {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
    period_s: f64,
}

impl Stopwatch {
    /// # Errors
    /// When the driver refuses.
    pub(super) fn new(gpu: &Gpu) -> Result<Self, Failure> {
        let made = gpu.scoped(|| {
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            });
            let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (queries, resolved)
        });
        let (queries, resolved) =
            made.map_err(|error| Diagnostic::error(format!("the device's clock cannot be used: {}", cause(&error))))?;
        let period_s = f64::from(gpu.queue.get_timestamp_period()) * 1e-9;
        Ok(Self { queries, resolved, staging: buffers::readable(gpu, 16)?, period_s })
    }

    /// For a compute pass: read the clock at its start and its end.
    pub(super) fn around_pass(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Reads the clock here, between commands: 0 is the start, 1 the end.
    pub(super) fn mark(&self, encoder: &mut wgpu::CommandEncoder, which: u32) {
        encoder.write_timestamp(&self.queries, which);
    }

    /// Adds to `encoder` that both readings are sent to the host.
    pub(super) fn collect(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.staging, 0, 16);
    }

    /// Submits `encoder`, waits for it, and returns the ticks of both readings.
    pub(super) fn ticks(&self, gpu: &Gpu, encoder: wgpu::CommandEncoder, sink: &dyn Sink) -> Result<[u64; 2], Failure> {
        let mut ticks = [0; 2];
        buffers::map(gpu, encoder, &self.staging, 16, sink, |bytes| {
            let read = bytemuck::pod_collect_to_vec::<u8, u64>(bytes);
            ticks.copy_from_slice(&read[..2]);
        })?;
        Ok(ticks)
    }

    /// As [`Stopwatch::ticks`], the seconds between them.
    pub(super) fn seconds(&self, gpu: &Gpu, encoder: wgpu::CommandEncoder, sink: &dyn Sink) -> Result<f64, Failure> {
        let [start, end] = self.ticks(gpu, encoder, sink)?;
        #[expect(clippy::cast_precision_loss, reason = "a span of ticks is far below 2^52")]
        let span = end.saturating_sub(start) as f64;
        Ok(span * self.period_s)
    }
}

/// The seconds that the device's clock can tell apart: the largest step of which some readings are all multiples. A driver may count in
/// nanoseconds and still move only every 32 of them. None where the clock stands still.
pub(super) fn resolution(gpu: &Gpu) -> Result<Option<f64>, Failure> {
    let watch = Stopwatch::new(gpu)?;
    let mut step = 0;
    let mut first = None;
    for _ in 0..12 {
        let mut encoder = gpu.encoder();
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(watch.around_pass()),
        }));
        watch.collect(&mut encoder);
        for reading in watch.ticks(gpu, encoder, &Silent)? {
            step = gcd(step, reading.abs_diff(*first.get_or_insert(reading)));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a step of a clock is far below 2^52")]
    Ok((step > 0).then_some(step as f64 * watch.period_s))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// For work at the start, which nobody can cancel or follow.
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
