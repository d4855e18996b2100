//! What the device can do at best: bytes by a copy, arithmetic by a chain of FMAs, launches by an empty kernel.

use super::Prepared;
use super::awake::Awake;
use super::device::Gpu;
use super::launch::{Pacing, Work};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::own::{self, WORKGROUP};
use crate::job::MeasureSpec;
use crate::trace::record::Ceilings;

/// Bytes of each copied buffer: well beyond any cache.
const COPY_BYTES: u64 = 256 << 20;

/// A device without room for two copies of this size has other troubles.
const LEAST_COPY_BYTES: u64 = 8 << 20;

/// Measures all ceilings.
///
/// # Errors
/// When the device fails. A device without room for the copies gets smaller ones.
pub(super) fn measure(gpu: &Gpu, awake: &mut Awake, sink: &mut dyn Sink) -> Result<Ceilings, Failure> {
    let launch_s = Some(launch(gpu, awake, sink)?);
    let host_launch_s = Some(host_launch(gpu, awake, sink)?);
    let fma_flops_per_s = Some(fma(gpu, awake, sink)?);
    let mut bytes = COPY_BYTES;
    loop {
        match copies(gpu, awake, bytes, sink) {
            Ok((device_copy, kernel)) => {
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
///
/// # Errors
/// When the device fails.
pub(super) fn launch(gpu: &Gpu, awake: &mut Awake, sink: &mut dyn Sink) -> Result<f64, Failure> {
    let job = own::empty();
    let (mut prepared, _) = Prepared::new(gpu, &job, sink)?;
    Ok(prepared.time(&LAUNCHES, Work::Kernel, awake, sink)?.0.median_s)
}

/// The same where the host launches one after the other and the device waits for it.
fn host_launch(gpu: &Gpu, awake: &mut Awake, sink: &mut dyn Sink) -> Result<f64, Failure> {
    let job = own::empty();
    let (prepared, _) = Prepared::new(gpu, &job, sink)?;
    awake.wake(gpu, sink)?;
    Ok(prepared.sample_at(Pacing::Host, &LAUNCHES, Work::Kernel, sink)?.median_s)
}

/// FLOP/s of a chain of fused multiply-adds.
fn fma(gpu: &Gpu, awake: &mut Awake, sink: &mut dyn Sink) -> Result<f64, Failure> {
    let (groups, turns) = (4096, 256);
    let job = own::fma(groups, turns);
    let (mut prepared, _) = Prepared::new(gpu, &job, sink)?;
    prepared.run_once(Work::Kernel, sink)?;
    let finite = prepared.residents.read(0, sink)?.words.iter().all(|&w| f32::from_bits(w).is_finite());
    if !finite {
        return Err(wrong("the chain of FMAs"));
    }
    let seconds = prepared.time(&spec(), Work::Kernel, awake, sink)?.0.median_s;
    // 128 FMAs a turn, of two floating-point operations each.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let flops = WORKGROUP as f64 * f64::from(groups) * f64::from(turns) * 128.0 * 2.0;
    Ok(flops / seconds)
}

/// Bytes per second of the driver's copy and of the copy kernel, bytes read plus bytes written.
fn copies(gpu: &Gpu, awake: &mut Awake, bytes: u64, sink: &mut dyn Sink) -> Result<(f64, f64), Failure> {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let moved = 2.0 * bytes as f64;
    let job = own::copy(bytes);
    let (mut prepared, inputs) = Prepared::new(gpu, &job, sink)?;
    let mut rates = [0.0; 2];
    for (rate, (work, what)) in
        rates.iter_mut().zip([(Work::Copy { from: 0, to: 1 }, "the driver's copy"), (Work::Kernel, "the copy kernel")])
    {
        prepared.residents.poison(1, sink)?;
        prepared.run_once(work, sink)?;
        if inputs.first().is_none_or(|(_, source)| prepared.residents.read(1, sink).as_ref() != Ok(source)) {
            return Err(wrong(what));
        }
        *rate = moved / prepared.time(&spec(), work, awake, sink)?.0.median_s;
    }
    Ok(rates.into())
}

fn wrong(what: &str) -> Failure {
    Diagnostic::error(format!("{what} gives a wrong result on this device, so nothing it measures can be believed"))
        .hint("update the device's driver")
        .into()
}

fn spec() -> MeasureSpec {
    MeasureSpec { cold: true, precision: 0.002, budget_s: 0.25, min_samples: 20, max_samples: 400 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::cuda::{compile, nvrtc};

    #[test]
    fn their_twins_compile_where_there_is_a_compiler() -> Result<(), Failure> {
        for job in [own::empty(), own::fma(16, 8), own::copy(1 << 20)] {
            match compile::compile(&job, None) {
                Ok(image) => {
                    assert!(nvrtc::is_present() && image.warnings.is_empty(), "{:?}", image.warnings);
                    assert!(!image.code.is_empty() && image.ptx.contains(".loc"), "{}", image.ptx);
                }
                Err(failure) if nvrtc::is_present() => return Err(failure),
                // Without a compiler it is said in words what to get.
                Err(failure) => {
                    assert!(failure.diagnostic.message.contains("NVRTC"), "{}", failure.diagnostic);
                    assert!(failure.diagnostic.hint.is_some_and(|hint| hint.contains("nvidia-cuda-nvrtc")));
                }
            }
        }
        Ok(())
    }
}
