//! What the device can do at best: bytes by a copy, arithmetic by a chain of FMAs, launches by an empty kernel.

use std::time::Instant;

use super::awake::Awake;
use super::buffers::{create, upload};
use super::device::{Gpu, cause};
use super::launch::HOST_RESOLUTION_S;
use super::stopwatch::Stopwatch;
use super::{Prepared, stage};
use crate::base::diag::Diagnostic;
use crate::base::tensor::{Elem, Init, Tensor};
use crate::gpu::backend::{Event, Failure, Sink};
use crate::gpu::own::{self, WORKGROUP};
use crate::job::MeasureSpec;
use crate::measure::sampling::{self, Conditions, Sampler};
use crate::trace::record::{CacheState, Ceilings};

/// Bytes of each copied buffer on a device with memory of its own: well beyond any cache.
const COPY_BYTES: u64 = 256 << 20;

/// The same on a software device, where copying takes the CPU's time.
const SOFTWARE_COPY_BYTES: u64 = 8 << 20;

/// Measures all ceilings.
///
/// # Errors
/// When the device fails. A device without room for the copies gets smaller ones.
pub(super) fn measure(gpu: &Gpu, mut awake: Option<&mut Awake>, sink: &mut dyn Sink) -> Result<Ceilings, Failure> {
    let launch_s = Some(launch(gpu, awake.as_deref_mut(), sink)?);
    let fma_flops_per_s = Some(fma(gpu, awake.as_deref_mut(), sink)?);
    let most = gpu.description.max_binding_bytes.min(gpu.description.max_buffer_bytes / 2);
    let wanted = if gpu.description.software { SOFTWARE_COPY_BYTES } else { COPY_BYTES };
    // A power of two, so that it divides into workgroups evenly.
    let mut bytes = 1 << wanted.min(most).ilog2();
    loop {
        match copies(gpu, awake.as_deref_mut(), bytes, sink) {
            Ok((device_copy, kernel)) => {
                let (device_copy_bytes_per_s, copy_bytes_per_s) = (Some(device_copy), Some(kernel));
                return Ok(Ceilings {
                    device_copy_bytes_per_s,
                    copy_bytes_per_s,
                    fma_flops_per_s,
                    launch_s,
                    host_launch_s: None,
                });
            }
            Err(failure) if failure.fatal || bytes <= SOFTWARE_COPY_BYTES || sink.cancelled() => return Err(failure),
            Err(_) => bytes /= 2,
        }
    }
}

/// Seconds that an empty kernel takes.
///
/// # Errors
/// When the device fails.
pub(super) fn launch(gpu: &Gpu, awake: Option<&mut Awake>, sink: &mut dyn Sink) -> Result<f64, Failure> {
    let job = own::empty();
    let spec = MeasureSpec { cold: false, budget_s: 0.05, precision: 0.02, ..MeasureSpec::default() };
    let (mut prepared, _) = Prepared::new(gpu, &job, sink)?;
    Ok(prepared.time(&spec, awake, sink)?.0.median_s)
}

/// FLOP/s of a chain of fused multiply-adds.
fn fma(gpu: &Gpu, awake: Option<&mut Awake>, sink: &mut dyn Sink) -> Result<f64, Failure> {
    let (groups, turns) = if gpu.description.software { (16, 8) } else { (4096, 256) };
    let job = own::fma(groups, turns);
    let (mut prepared, _) = Prepared::new(gpu, &job, sink)?;
    prepared.run_once(sink)?;
    let finite = prepared.read("out", sink)?.words.iter().all(|&w| f32::from_bits(w).is_finite());
    if !finite {
        return Err(wrong("the chain of FMAs"));
    }
    let seconds = prepared.time(&spec(gpu), awake, sink)?.0.median_s;
    // 128 FMAs a turn, of two floating-point operations each.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let flops = WORKGROUP as f64 * f64::from(groups) * f64::from(turns) * 128.0 * 2.0;
    Ok(flops / seconds)
}

/// Bytes read and written a second: by the driver's copy, and by the copy kernel.
fn copies(gpu: &Gpu, mut awake: Option<&mut Awake>, bytes: u64, sink: &mut dyn Sink) -> Result<(f64, f64), Failure> {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let moved = (2 * bytes) as f64;
    let device_copy = moved / device_copy(gpu, awake.as_deref_mut(), bytes, sink)?;
    let job = own::copy(bytes);
    let (mut prepared, _) = Prepared::new(gpu, &job, sink)?;
    prepared.run_once(sink)?;
    if prepared.read("dst", sink)? != job.buffers[0].fill(job.seed, 0) {
        return Err(wrong("the copy kernel"));
    }
    Ok((device_copy, moved / prepared.time(&spec(gpu), awake, sink)?.0.median_s))
}

fn wrong(what: &str) -> Failure {
    Diagnostic::error(format!("{what} gives a wrong result on this device, so nothing it measures can be believed"))
        .hint("update the device's driver")
        .into()
}

fn spec(gpu: &Gpu) -> MeasureSpec {
    let (budget_s, min_samples) = if gpu.description.software { (0.1, 5) } else { (0.25, 20) };
    MeasureSpec { cold: !gpu.description.software, precision: 0.002, budget_s, min_samples, max_samples: 400 }
}

/// Seconds of one `copy_buffer_to_buffer` of `bytes`.
fn device_copy(gpu: &Gpu, awake: Option<&mut Awake>, bytes: u64, sink: &mut dyn Sink) -> Result<f64, Failure> {
    stage(sink, "measuring the device's copy")?;
    let no_room = |error: wgpu::Error| Diagnostic::error(format!("no room for a copy: {}", cause(&error)));
    let mut buffers = Vec::new();
    // Two pairs, so that no copy finds what the one before left in the cache.
    for _ in 0..4 {
        buffers.push(create(gpu, bytes).map_err(no_room)?);
    }
    let words = Tensor::new(Elem::F32, usize::try_from(bytes / 4).unwrap_or(0), Init::Random, 1, 0).words;
    upload(gpu, &buffers[0], &words, sink)?;
    upload(gpu, &buffers[2], &words, sink)?;
    let watch = if gpu.copy_timestamps && gpu.description.timestamps { Some(Stopwatch::new(gpu)?) } else { None };
    let conditions = Conditions {
        cache: CacheState::Cold,
        device_clock: watch.is_some(),
        resolution_s: watch.as_ref().and(gpu.clock_resolution_s).unwrap_or(HOST_RESOLUTION_S),
        max_launches: 64,
    };
    if let Some(awake) = awake {
        awake.wake(gpu, sink)?;
    }
    let mut copies = Copies { gpu, buffers, bytes, second: false, watch, started: Instant::now(), sink };
    Ok(sampling::measure(&mut copies, &spec(gpu), &conditions, |_| ())?.median_s)
}

/// Copies by the driver, as samples.
struct Copies<'a> {
    gpu: &'a Gpu,
    /// From, to, from, to.
    buffers: Vec<wgpu::Buffer>,
    bytes: u64,
    second: bool,
    watch: Option<Stopwatch>,
    started: Instant,
    sink: &'a mut dyn Sink,
}

impl Sampler for Copies<'_> {
    type Error = Failure;

    fn sample(&mut self, launches: u32) -> Result<f64, Failure> {
        let mut encoder = self.gpu.encoder();
        if let Some(watch) = &self.watch {
            watch.mark(&mut encoder, 0);
        }
        for _ in 0..launches {
            let [from, to] = if self.second { [2, 3] } else { [0, 1] };
            self.second = !self.second;
            encoder.copy_buffer_to_buffer(&self.buffers[from], 0, &self.buffers[to], 0, self.bytes);
        }
        let seconds = match &self.watch {
            Some(watch) => {
                watch.mark(&mut encoder, 1);
                watch.collect(&mut encoder);
                watch.seconds(self.gpu, encoder, self.sink)?
            }
            None => {
                let start = Instant::now();
                self.gpu.finish(encoder, self.sink)?;
                start.elapsed().as_secs_f64()
            }
        };
        self.sink.event(Event::Sample(seconds / f64::from(launches)));
        Ok(seconds)
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}
