//! The device's ceilings: bytes by a copy, arithmetic by a chain of FMAs, launches by an empty kernel.

use super::awake::Awake;
use super::launches::{Pacing, Timed};
use super::prepared::Prepared;
use super::residents::carry_out;
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::builtin_kernels::{self, WORKGROUP};
use crate::gpu::driver::{Command, Driver};
use crate::gpu::walk::{Turn, walk};
use crate::job::MeasureSpec;
use crate::trace::record::Ceilings;

/// Bytes of each copied buffer on a device with memory of its own: well beyond any cache.
const COPY_BYTES: u64 = 256 << 20;

/// The same on a software device, where copying takes the CPU's time. A device without room for two of this size has
/// other troubles.
const LEAST_COPY_BYTES: u64 = 8 << 20;

/// The trail of a program that is one launch.
const ONE: [Turn; 1] = [Turn { pass: 0, launch: 0, grid: None }];

/// Measures all ceilings.
///
/// # Errors
/// When the device fails. A device without room for the copies gets smaller ones.
pub(super) fn measure<D: Driver>(
    driver: &D,
    awake: &mut Option<&mut Awake<D>>,
    sink: &mut dyn Sink,
) -> Result<Ceilings, Failure> {
    let launch_s = Some(launch(driver, awake, sink)?);
    let host_launch_s = host_launch(driver, awake, sink)?;
    let fma_flops_per_s = Some(fma(driver, awake, sink)?);
    let device = driver.device();
    let most = device.max_binding_bytes.min(device.max_buffer_bytes / 2);
    let wanted = if device.software { LEAST_COPY_BYTES } else { COPY_BYTES };
    // A power of two, so that it divides into workgroups evenly.
    let mut bytes = 1 << wanted.min(most).ilog2();
    loop {
        match copies(driver, awake, bytes, sink) {
            Ok([device_copy, kernel]) => {
                let (device_copy_bytes_per_s, copy_bytes_per_s) = (Some(device_copy), Some(kernel));
                return Ok(Ceilings {
                    device_copy_bytes_per_s,
                    copy_bytes_per_s,
                    fma_flops_per_s,
                    launch_s,
                    host_launch_s,
                });
            }
            Err(failure) if failure.fatal || bytes <= LEAST_COPY_BYTES || sink.cancelled() => return Err(failure),
            Err(_) => bytes /= 2,
        }
    }
}

/// How an empty kernel is measured.
const LAUNCHES: MeasureSpec =
    MeasureSpec { cold: false, budget_s: 0.1, precision: 0.005, min_samples: 20, max_samples: 400 };

/// Seconds from one launch of an empty kernel to the next, at the device's pace: what every kernel's time has in it.
pub(super) fn launch<D: Driver>(
    driver: &D,
    awake: &mut Option<&mut Awake<D>>,
    sink: &mut dyn Sink,
) -> Result<f64, Failure> {
    let job = builtin_kernels::empty();
    let prepared = Prepared::new(driver, &job, sink)?;
    Ok(prepared.time(&LAUNCHES, &Timed::Program(&ONE), awake, sink)?.0.median_s)
}

/// The same if the host launches one after the other and the device waits for it; None if the two cannot be
/// distinguished.
fn host_launch<D: Driver>(
    driver: &D,
    awake: &mut Option<&mut Awake<D>>,
    sink: &mut dyn Sink,
) -> Result<Option<f64>, Failure> {
    if D::LOAD_FIRST {
        return Ok(None);
    }
    let job = builtin_kernels::empty();
    let prepared = Prepared::new(driver, &job, sink)?;
    if let Some(awake) = awake {
        awake.wake(driver, sink)?;
    }
    Ok(Some(prepared.sample_at(Pacing::Host, &LAUNCHES, &Timed::Program(&ONE), sink)?.median_s))
}

/// FLOP/s of a chain of fused multiply-adds.
fn fma<D: Driver>(driver: &D, awake: &mut Option<&mut Awake<D>>, sink: &mut dyn Sink) -> Result<f64, Failure> {
    let (groups, turns) = if driver.device().software { (16, 8) } else { (4096, 256) };
    let job = builtin_kernels::fma(groups, turns);
    let mut prepared = Prepared::new(driver, &job, sink)?;
    walk(&job, &mut prepared.host(sink), true)?;
    if !prepared.content(0, sink)?.words.iter().all(|&word| f32::from_bits(word).is_finite()) {
        return Err(wrong("the chain of FMAs"));
    }
    let spec = spec(driver);
    prepared.residents.multiply(driver, &job, spec.cold, sink)?;
    let seconds = prepared.time(&spec, &Timed::Program(&ONE), awake, sink)?.0.median_s;
    // 128 FMAs a turn, of two floating-point operations each.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let flops = WORKGROUP as f64 * f64::from(groups) * f64::from(turns) * 128.0 * 2.0;
    Ok(flops / seconds)
}

/// Bytes per second of the driver's copy and of the copy kernel, bytes read plus bytes written.
fn copies<D: Driver>(
    driver: &D,
    awake: &mut Option<&mut Awake<D>>,
    bytes: u64,
    sink: &mut dyn Sink,
) -> Result<[f64; 2], Failure> {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let moved = (2 * bytes) as f64;
    let job = builtin_kernels::copy(bytes);
    let mut prepared = Prepared::new(driver, &job, sink)?;
    let (source, poison) = (job.buffers[0].fill(job.seed, 0)?, job.buffers[1].fill(job.seed, 1)?);
    let spec = spec(driver);
    prepared.residents.multiply(driver, &job, spec.cold, sink)?;
    let mut rates = [0.0; 2];
    for (by_kernel, rate) in [false, true].into_iter().zip(&mut rates) {
        let (from, to) = (prepared.residents.of_set(0, 0), prepared.residents.of_set(0, 1));
        driver.write(to, &poison.words, sink)?;
        let (what, name) = if by_kernel {
            walk(&job, &mut prepared.host(sink), true)?;
            (Timed::Program(&ONE), "the copy kernel")
        } else {
            carry_out(driver, vec![Command::Copy { from, to }], sink)?;
            (Timed::Copy { from: 0, to: 1 }, "the driver's copy")
        };
        if prepared.content(1, sink)? != source {
            return Err(wrong(name));
        }
        *rate = moved / prepared.time(&spec, &what, awake, sink)?.0.median_s;
    }
    Ok(rates)
}

fn wrong(what: &str) -> Failure {
    Diagnostic::error(format!("{what} gives a wrong result on this device, so nothing it measures can be believed"))
        .hint("update the device's driver")
        .into()
}

fn spec<D: Driver>(driver: &D) -> MeasureSpec {
    let software = driver.device().software;
    let (budget_s, min_samples) = if software { (0.1, 5) } else { (0.25, 20) };
    MeasureSpec { cold: !software, precision: 0.002, budget_s, min_samples, max_samples: 400 }
}
