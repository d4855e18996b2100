//! When to stop: warm up, batch launches that are too short for the clock, sample until the median is known well
//! enough.

use super::stats;
use crate::job::MeasureSpec;
use crate::trace::record::{CacheState, Timing};

/// The work that is measured, and the clock that budgets are kept by. The only way in which time enters this module.
pub trait Sampler {
    /// The error of a launch.
    type Error;

    /// Launches `launches` times, one after the other, and returns the seconds that they took together.
    fn sample(&mut self, launches: u32) -> Result<f64, Self::Error>;

    /// Seconds since some fixed moment, as the budget counts them.
    fn now(&self) -> f64;
}

/// The conditions of the sampler's figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// The state of the caches before each launch.
    pub cache: CacheState,
    /// Whether the device's own clock is read.
    pub device_clock: bool,
    /// Seconds that the clock cannot tell apart, or that reading it adds.
    pub resolution_s: f64,
    /// Launches that one sample may hold.
    pub max_launches: u32,
}

/// A sample is to last this many times what the clock resolves: it then adds less than 1%.
const RESOLUTIONS_PER_SAMPLE: f64 = 100.0;

/// Warming up takes this part of the budget.
const WARM_UP_PART: f64 = 0.1;

/// Warm-up launches at least; the first pays for what a driver does lazily.
const WARM_UP_LAUNCHES: u32 = 2;

/// Samples `sampler` as `spec` asks; `seen` hears each sample, in seconds a launch.
///
/// Stops when the 95% interval of the median is within `spec.precision` of it, when the budget is spent, or at
/// `spec.max_samples`; the first of these after `spec.min_samples`. A launch far longer than the budget
/// is still sampled at least once.
///
/// # Errors
/// The first that a launch gives.
pub fn measure<S: Sampler>(
    sampler: &mut S,
    spec: &MeasureSpec,
    conditions: &Conditions,
    mut seen: impl FnMut(f64),
) -> Result<Timing, S::Error> {
    let launches = warm_up(sampler, spec, conditions)?;
    let mut samples: Vec<f64> = Vec::new();
    let start = sampler.now();
    let most = spec.max_samples.max(1) as usize;
    let least = (spec.min_samples as usize).clamp(1, most);
    // Looking for the interval sorts the samples, so it is done when a tenth more of them are there.
    let mut next_look = least;
    while samples.len() < most {
        let sample = sampler.sample(launches)? / f64::from(launches);
        seen(sample);
        samples.push(sample);
        let spent = sampler.now() - start;
        // A budget that is spent before the least number of samples may be overdrawn, but not without an end.
        if spent >= spec.budget_s && (samples.len() >= least || spent >= 4.0 * spec.budget_s) {
            break;
        }
        if samples.len() >= next_look {
            if precise(&samples, spec.precision) {
                break;
            }
            next_look = samples.len() + samples.len().div_ceil(10);
        }
    }
    Ok(summary(samples, launches, conditions))
}

/// Whether the median's interval is within `precision` of it.
fn precise(samples: &[f64], precision: f64) -> bool {
    let sorted = stats::sorted(samples);
    let [low, high] = stats::median_interval(&sorted);
    stats::interval_holds(sorted.len()) && high - low <= precision * stats::quantile(&sorted, 0.5)
}

/// Runs until the device is awake, and finds how many launches make a sample that the clock resolves.
fn warm_up<S: Sampler>(sampler: &mut S, spec: &MeasureSpec, conditions: &Conditions) -> Result<u32, S::Error> {
    let start = sampler.now();
    let enough = RESOLUTIONS_PER_SAMPLE * conditions.resolution_s;
    let most = conditions.max_launches.max(1);
    let mut launches = 1;
    let mut done = 0;
    loop {
        let seconds = sampler.sample(launches)?;
        done += 1;
        if seconds < enough && launches < most {
            launches = more_launches(launches, seconds, enough).min(most);
            continue;
        }
        if done >= WARM_UP_LAUNCHES && sampler.now() - start >= WARM_UP_PART * spec.budget_s {
            return Ok(launches);
        }
    }
}

/// As many launches as would last `enough` seconds, at least twice and at most 16 times as many as before.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 2..=16 just before")]
fn more_launches(launches: u32, seconds: f64, enough: f64) -> u32 {
    // A clock that saw nothing pass gives no estimate: infinity clamps to 16.
    let factor = (1.1 * enough / seconds.max(0.0)).ceil().clamp(2.0, 16.0) as u32;
    launches.saturating_mul(factor)
}

/// The summary of samples, in seconds a launch.
#[must_use]
pub fn summary(samples: Vec<f64>, launches_per_sample: u32, conditions: &Conditions) -> Timing {
    let sorted = stats::sorted(&samples);
    Timing {
        samples,
        median_s: stats::quantile(&sorted, 0.5),
        p10_s: stats::quantile(&sorted, 0.1),
        p90_s: stats::quantile(&sorted, 0.9),
        interval_s: stats::median_interval(&sorted),
        cache: conditions.cache,
        launches_per_sample,
        device_clock: conditions.device_clock,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::rng;

    /// A kernel of a known time on a clock of a known resolution; time passes only when it launches.
    struct Fake {
        now: f64,
        launch_s: f64,
        noise: f64,
        tick_s: f64,
        launched: u64,
        calls: u64,
        fail_at: Option<u64>,
    }

    impl Fake {
        fn new(launch_s: f64) -> Self {
            Self { now: 0.0, launch_s, noise: 0.0, tick_s: 0.0, launched: 0, calls: 0, fail_at: None }
        }
    }

    impl Sampler for Fake {
        type Error = &'static str;

        fn sample(&mut self, launches: u32) -> Result<f64, Self::Error> {
            self.calls += 1;
            if self.fail_at == Some(self.calls) {
                return Err("lost");
            }
            self.launched += u64::from(launches);
            let factor = 1.0 + self.noise * f64::from(rng::unit_f32(5, self.calls));
            let seconds = self.launch_s * f64::from(launches) * factor;
            self.now += seconds;
            Ok(if self.tick_s > 0.0 { (seconds / self.tick_s).floor() * self.tick_s } else { seconds })
        }

        fn now(&self) -> f64 {
            self.now
        }
    }

    fn conditions(resolution_s: f64) -> Conditions {
        Conditions { cache: CacheState::Warm, device_clock: true, resolution_s, max_launches: 4096 }
    }

    #[test]
    fn a_steady_kernel_needs_the_least_number_of_samples() -> Result<(), &'static str> {
        let mut fake = Fake::new(1e-3);
        let spec = MeasureSpec::default();
        let mut heard = 0;
        let timing = measure(&mut fake, &spec, &conditions(1e-9), |_| heard += 1)?;
        assert_eq!(timing.samples.len(), spec.min_samples as usize);
        assert_eq!(heard, spec.min_samples);
        assert_eq!(timing.launches_per_sample, 1);
        assert!((timing.median_s - 1e-3).abs() < 1e-12);
        // It was warmed up for a tenth of the budget first.
        assert!(fake.launched as f64 * 1e-3 >= 0.1 * spec.budget_s + 10.0 * 1e-3 - 1e-9);
        Ok(())
    }

    #[test]
    fn a_noisy_kernel_is_sampled_until_the_interval_is_narrow() -> Result<(), &'static str> {
        let spec = MeasureSpec { budget_s: 100.0, ..MeasureSpec::default() };
        let timing = measure(&mut Fake { noise: 0.05, ..Fake::new(1e-3) }, &spec, &conditions(1e-9), |_| ())?;
        let [low, high] = timing.interval_s;
        assert!(timing.samples.len() > 20 && timing.samples.len() < 400, "{}", timing.samples.len());
        assert!((high - low) <= spec.precision * timing.median_s);
        Ok(())
    }

    #[test]
    fn the_budget_and_the_cap_end_a_hopeless_case() -> Result<(), &'static str> {
        let spec = MeasureSpec { precision: 0.0, ..MeasureSpec::default() };
        let noisy = || Fake { noise: 0.5, ..Fake::new(1e-2) };
        let timing = measure(&mut noisy(), &spec, &conditions(1e-9), |_| ())?;
        assert!((40..70).contains(&timing.samples.len()), "{}", timing.samples.len());
        let patient = MeasureSpec { budget_s: 1e3, max_samples: 33, ..spec };
        let timing = measure(&mut Fake { launch_s: 1.0, ..noisy() }, &patient, &conditions(1e-9), |_| ())?;
        assert_eq!(timing.samples.len(), 33);
        Ok(())
    }

    #[test]
    fn a_launch_longer_than_the_budget_is_sampled_and_ends() -> Result<(), &'static str> {
        let timing = measure(&mut Fake::new(3.0), &MeasureSpec::default(), &conditions(1e-9), |_| ())?;
        assert_eq!(timing.samples, [3.0]);
        Ok(())
    }

    #[test]
    fn short_launches_are_batched_until_the_clock_resolves_them() -> Result<(), &'static str> {
        let mut fake = Fake { tick_s: 1e-6, ..Fake::new(3e-7) };
        let timing = measure(&mut fake, &MeasureSpec::default(), &conditions(1e-6), |_| ())?;
        assert!(timing.launches_per_sample >= 330, "{}", timing.launches_per_sample);
        assert!((timing.median_s / 3e-7 - 1.0).abs() < 0.011, "{}", timing.median_s);
        // One launch too short to be seen at all must not divide by zero or go on forever.
        let capped = Conditions { max_launches: 8, ..conditions(1e-6) };
        let timing = measure(&mut Fake { tick_s: 1e-3, ..Fake::new(3e-7) }, &MeasureSpec::default(), &capped, |_| ())?;
        assert_eq!(timing.launches_per_sample, 8);
        assert_eq!(timing.median_s, 0.0);
        Ok(())
    }

    #[test]
    fn errors_come_through() {
        for fail_at in [1, 5, 60] {
            let mut fake = Fake { fail_at: Some(fail_at), ..Fake::new(1e-3) };
            assert_eq!(measure(&mut fake, &MeasureSpec::default(), &conditions(1e-9), |_| ()), Err("lost"));
        }
    }

    proptest! {
        #[test]
        fn always_ends_within_its_bounds(
            launch_s in 1e-7_f64..1.0, noise in 0.0_f64..0.9, precision in 0.0_f64..0.1,
            min in 0_u32..50, max in 0_u32..50, resolution in 1e-9_f64..1e-5,
        ) {
            let spec = MeasureSpec { cold: false, precision, budget_s: 0.01, min_samples: min, max_samples: max };
            let mut fake = Fake { noise, ..Fake::new(launch_s) };
            let timing = measure(&mut fake, &spec, &conditions(resolution), |_| ()).map_err(TestCaseError::fail)?;
            let n = timing.samples.len();
            prop_assert!(n >= 1 && n <= max.max(1) as usize);
            prop_assert!(timing.p10_s <= timing.median_s && timing.median_s <= timing.p90_s);
            prop_assert!((timing.median_s / launch_s - 1.0).abs() <= noise + 1e-9);
        }
    }
}
