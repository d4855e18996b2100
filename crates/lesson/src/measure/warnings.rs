//! Warnings that a reader of a measured time should know before believing it.

use super::stats;
use crate::base::units::{digits3, si};
use crate::job::MeasureSpec;
use crate::trace::record::{CacheState, Ceilings, Device, Timing, Warning, WarningKind};

/// The work and the device of a measured time.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    pub device: &'a Device,
    /// Its ceilings, as far as they were measured.
    pub ceilings: &'a Ceilings,
    /// The measurement that was requested.
    pub spec: &'a MeasureSpec,
    /// Bytes of all the job's buffers together.
    pub footprint_bytes: u64,
    /// Whether the compiler guarded indices.
    pub bounds_checks: bool,
}

/// Buffers below this size in all are taken to fit in a last-level cache: a large one of today holds 50 MB.
pub const CACHE_BYTES: u64 = 64 << 20;

/// From p10 to p90, relative to the median: samples that spread further are noisy.
const NOISY_SPREAD: f64 = 0.2;

/// A kernel this many times as long as an empty launch is not mostly launch.
const LAUNCHES: f64 = 3.0;

/// A trend smaller than this is no reason to warn.
const DRIFT: f64 = 0.03;

/// The warnings that `timing` deserves, each kind once.
#[must_use]
pub fn of(timing: &Timing, around: &Circumstances<'_>) -> Vec<Warning> {
    let checks: [fn(&Timing, &Circumstances<'_>) -> Option<Warning>; 9] =
        [software, host_clock, few_samples, noisy, two_clusters, drift, launch_bound, fits_in_cache, bounds_checks];
    checks.iter().filter_map(|check| check(timing, around)).collect()
}

fn warning(kind: WarningKind, message: String, hint: &str) -> Option<Warning> {
    Some(Warning { kind, message, hint: hint.to_owned() })
}

fn software(_: &Timing, around: &Circumstances<'_>) -> Option<Warning> {
    let name = &around.device.name;
    around.device.software.then_some(())?;
    warning(
        WarningKind::SoftwareDevice,
        format!("{name} computes on the CPU: its times say little about a GPU"),
        "compare the traces here, and the times on a machine with a GPU",
    )
}

fn host_clock(timing: &Timing, around: &Circumstances<'_>) -> Option<Warning> {
    (!timing.device_clock).then_some(())?;
    warning(
        WarningKind::HostClock,
        format!("{} has no clock of its own: times include the submission and the wait", around.device.name),
        "believe differences between long kernels only",
    )
}

fn few_samples(timing: &Timing, around: &Circumstances<'_>) -> Option<Warning> {
    let n = timing.samples.len();
    let [low, high] = timing.interval_s;
    let width = (high - low) / timing.median_s;
    if stats::interval_holds(n) && width <= around.spec.precision.max(NOISY_SPREAD / 10.0) {
        return None;
    }
    let (message, hint) = if stats::interval_holds(n) {
        let [known, wanted] = [width, around.spec.precision].map(|share| digits3(share * 100.0));
        let message = format!("after {n} samples the median is known to {known}%, not to {wanted}%");
        (message, "close what else uses this device, then run again")
    } else {
        let message = format!("{n} samples are too few to say how well the median is known");
        (message, "choose smaller sizes: each sample then takes less of the time that a measurement has")
    };
    warning(WarningKind::FewSamples, message, hint)
}

fn noisy(timing: &Timing, _: &Circumstances<'_>) -> Option<Warning> {
    let spread = (timing.p90_s - timing.p10_s) / timing.median_s;
    (timing.samples.len() >= 5 && spread > NOISY_SPREAD).then_some(())?;
    warning(
        WarningKind::Noisy,
        format!("samples spread by {}% of their median from p10 to p90", digits3(spread * 100.0)),
        "close what else uses this device, then run again",
    )
}

fn two_clusters(timing: &Timing, _: &Circumstances<'_>) -> Option<Warning> {
    let found = stats::clusters(&stats::sorted(&timing.samples))?;
    let [low, high] = found.medians.map(|median| si(median, "s"));
    let [few, many] = found.samples;
    warning(
        WarningKind::TwoClusters,
        format!(
            "the samples lie in two clusters, {few} around {low} and {many} around {high}: the median is of one of them"
        ),
        "run again; if they stay, look at what differs between runs, such as the copy of the buffers",
    )
}

fn drift(timing: &Timing, _: &Circumstances<'_>) -> Option<Warning> {
    let drift = stats::drift(&timing.samples).filter(|d| d.abs() > DRIFT)?;
    let (later, hint) = if drift > 0.0 {
        ("slower", "let the device cool or finish other work, then run again")
    } else {
        ("faster", "run again: the device was still waking up")
    };
    warning(
        WarningKind::Drift,
        format!("later samples are {}% {later} than early ones", digits3(drift.abs() * 100.0)),
        hint,
    )
}

fn launch_bound(timing: &Timing, around: &Circumstances<'_>) -> Option<Warning> {
    let launch = around.ceilings.launch_s?;
    (timing.median_s < LAUNCHES * launch).then_some(())?;
    warning(
        WarningKind::LaunchBound,
        format!("an empty launch takes {} here, and this kernel {}", si(launch, "s"), si(timing.median_s, "s")),
        "give the kernel more work, so that the launch no longer shows",
    )
}

fn fits_in_cache(timing: &Timing, around: &Circumstances<'_>) -> Option<Warning> {
    (timing.cache == CacheState::Warm && around.footprint_bytes < CACHE_BYTES).then_some(())?;
    #[expect(clippy::cast_precision_loss, reason = "for three digits on the screen")]
    let bytes = si(around.footprint_bytes as f64, "B");
    let hint = if around.spec.cold {
        "choose larger sizes: these buffers are too small to rotate among copies of them"
    } else {
        "choose larger sizes to see the memory's: the lesson says `cache: Warm` here"
    };
    warning(
        WarningKind::FitsInCache,
        format!(
            "all buffers together take {bytes} and were used again and again: this may be the cache's speed, not the memory's"
        ),
        hint,
    )
}

fn bounds_checks(_: &Timing, around: &Circumstances<'_>) -> Option<Warning> {
    around.bounds_checks.then_some(())?;
    warning(
        WarningKind::BoundsChecks,
        "the compiler added guards to array indices".to_owned(),
        "`--unchecked`, or “Bounds checks” in the window, leaves them out: once the trace shows no index out of bounds",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::record::Backend;

    fn device() -> Device {
        Device {
            backend: Backend::Wgpu,
            name: "a device".into(),
            driver: String::new(),
            api: String::new(),
            software: false,
            timestamps: true,
            subgroup: [32, 32],
            max_binding_bytes: 1 << 31,
            max_buffer_bytes: 1 << 32,
            max_workgroup_invocations: 1024,
            max_workgroup_size: [1024, 1024, 64],
            max_grid: [65_535; 3],
            max_shared_bytes: 48 << 10,
            f16: true,
            cooperative: Vec::new(),
        }
    }

    fn timing(samples: Vec<f64>) -> Timing {
        let sorted = stats::sorted(&samples);
        Timing {
            median_s: stats::quantile(&sorted, 0.5),
            p10_s: stats::quantile(&sorted, 0.1),
            p90_s: stats::quantile(&sorted, 0.9),
            interval_s: stats::median_interval(&sorted),
            samples,
            cache: CacheState::Cold,
            launches_per_sample: 1,
            device_clock: true,
        }
    }

    fn kinds(
        timing: &Timing,
        change: impl FnOnce(&mut Device, &mut Ceilings, &mut u64, &mut bool),
    ) -> Vec<WarningKind> {
        let (mut device, mut ceilings, mut footprint_bytes, mut checked) =
            (device(), Ceilings::default(), 1 << 30, false);
        change(&mut device, &mut ceilings, &mut footprint_bytes, &mut checked);
        let spec = MeasureSpec::default();
        let around = Circumstances {
            device: &device,
            ceilings: &ceilings,
            spec: &spec,
            footprint_bytes,
            bounds_checks: checked,
        };
        let warnings = of(timing, &around);
        assert!(warnings.iter().all(|w| !w.message.is_empty() && !w.hint.is_empty()));
        // Nothing sets a measurement's budget, and the guards on indices go by these names.
        assert!(warnings.iter().all(|w| !w.hint.contains("budget")));
        let guards = warnings.iter().filter(|w| w.kind == WarningKind::BoundsChecks);
        assert!(guards.into_iter().all(|w| w.hint.contains("--unchecked") && w.hint.contains("“Bounds checks”")));
        warnings.into_iter().map(|w| w.kind).collect()
    }

    #[test]
    fn a_clean_measurement_has_none() {
        assert_eq!(kinds(&timing(vec![1e-3; 20]), |_, ceilings, _, _| ceilings.launch_s = Some(1e-6)), []);
    }

    #[test]
    fn each_kind_is_found() {
        use WarningKind as K;
        let steady = || timing(vec![1e-3; 20]);
        assert_eq!(kinds(&steady(), |d, _, _, _| d.software = true), [K::SoftwareDevice]);
        assert_eq!(kinds(&Timing { device_clock: false, ..steady() }, |_, _, _, _| ()), [K::HostClock]);
        assert_eq!(kinds(&timing(vec![1e-3; 4]), |_, _, _, _| ()), [K::FewSamples]);
        assert_eq!(kinds(&steady(), |_, c, _, _| c.launch_s = Some(0.9e-3)), [K::LaunchBound]);
        assert_eq!(kinds(&Timing { cache: CacheState::Warm, ..steady() }, |_, _, f, _| *f = 1 << 20), [K::FitsInCache]);
        assert_eq!(kinds(&Timing { cache: CacheState::Warm, ..steady() }, |_, _, _, _| ()), []);
        assert_eq!(kinds(&steady(), |_, _, _, checked| *checked = true), [K::BoundsChecks]);
        let drifting = timing((0..40).map(|i| 1e-3 * (1.0 + f64::from(i) * 0.004)).collect());
        assert!(kinds(&drifting, |_, _, _, _| ()).contains(&K::Drift));
        let spread = timing((0..40).map(|i| if i % 2 == 0 { 1e-3 } else { 2e-3 }).collect());
        assert_eq!(kinds(&spread, |_, _, _, _| ()), [K::FewSamples, K::Noisy, K::TwoClusters]);
        let two = timing((0..50).map(|i| if i % 3 == 0 { 1.1e-3 } else { 1e-3 }).collect());
        assert_eq!(kinds(&two, |_, _, _, _| ()), [K::TwoClusters]);
    }
}
