//! Whether one kernel may be called faster than another, and if not, why.

use std::fmt;

use crate::base::units::digits3;
use crate::trace::record::{Timing, Warning, WarningKind};

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    pub timing: &'a Timing,
    /// Bytes that the work needs to move.
    pub bytes: f64,
    /// Floating-point operations that the work needs.
    pub flops: f64,
    /// Warnings about its figures.
    pub warnings: &'a [Warning],
}

/// The verdict on two kernels' times.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The first is faster by `factor`, and by something in `interval` (in 90% or more of such comparisons).
    Faster {
        /// The second's median over the first's; more than 1.
        factor: f64,
        /// The least and the greatest factor that the medians' intervals allow.
        interval: [f64; 2],
    },
    /// The first is slower by `factor`, likewise.
    Slower {
        /// The first's median over the second's; more than 1.
        factor: f64,
        /// The least and the greatest factor that the medians' intervals allow.
        interval: [f64; 2],
    },
    /// Neither may be called faster.
    Unsettled(Vec<Reason>),
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The kernels do not do the same work.
    WorkDiffers,
    /// One ran with a cold cache and one with a warm one.
    CacheDiffers,
    /// One was timed by the device and one by the host.
    ClockDiffers,
    /// One was compiled with guards and one without.
    ChecksDiffer,
    /// A figure is not good enough.
    Warned(WarningKind),
    /// The medians' 95% intervals overlap.
    IntervalsOverlap,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WorkDiffers => "they do not do the same work",
            Self::CacheDiffers => "one found its data in the cache and the other did not",
            Self::ClockDiffers => "they were timed by different clocks",
            Self::ChecksDiffer => "only one was compiled with bounds checks",
            Self::IntervalsOverlap => "their confidence intervals overlap",
            Self::Warned(kind) => match kind {
                WarningKind::SoftwareDevice => "a software driver's times say little about a GPU",
                WarningKind::HostClock => "times include the submission and the wait",
                WarningKind::Noisy => "the samples spread too widely",
                WarningKind::LaunchBound => "the time is mostly the launch",
                WarningKind::FitsInCache => "the data may have come from the cache",
                WarningKind::FewSamples => "there are too few samples",
                WarningKind::BoundsChecks => "the compiler added guards",
                WarningKind::TwoClusters => "the samples lie in two clusters",
                WarningKind::Drift => "the times drifted while they were taken",
                WarningKind::SlowClock => "the device ran slower than it can",
                WarningKind::BrokenDriver => "the driver computes wrongly here",
                WarningKind::NotHere => "a kernel was left out",
                WarningKind::NoLibrary => "there is no time of a library",
                WarningKind::LostDevice => "the device failed meanwhile",
                WarningKind::SharedDevice => "ranks took turns on one device",
                WarningKind::NotANumber => "a series is not a number",
                WarningKind::NotFinite => "an input has elements that are no finite numbers",
            },
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factor = |f: &mut fmt::Formatter<'_>, x: f64, [low, high]: [f64; 2], word| {
            write!(f, "{}x {word} ({} to {})", digits3(x), digits3(low), digits3(high))
        };
        match self {
            Self::Faster { factor: x, interval } => factor(f, *x, *interval, "faster"),
            Self::Slower { factor: x, interval } => factor(f, *x, *interval, "slower"),
            Self::Unsettled(reasons) => {
                f.write_str("no verdict: ")?;
                for (i, reason) in reasons.iter().enumerate() {
                    write!(f, "{}{reason}", if i > 0 { "; " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// Whether a figure with this warning is unfit for any comparison. The others describe conditions that both sides may
/// share.
fn disqualifies(kind: WarningKind) -> bool {
    match kind {
        WarningKind::SoftwareDevice
        | WarningKind::Noisy
        | WarningKind::LaunchBound
        | WarningKind::FewSamples
        | WarningKind::TwoClusters
        | WarningKind::Drift
        | WarningKind::SlowClock
        | WarningKind::BrokenDriver
        | WarningKind::NotHere
        | WarningKind::LostDevice
        | WarningKind::NotANumber
        | WarningKind::SharedDevice => true,
        WarningKind::HostClock
        | WarningKind::FitsInCache
        | WarningKind::BoundsChecks
        | WarningKind::NoLibrary
        | WarningKind::NotFinite => false,
    }
}

/// Compares `a` with `b`. A verdict needs equal work and conditions, no disqualifying warning, and intervals that do
/// not overlap.
#[must_use]
pub fn compare(a: &Measured<'_>, b: &Measured<'_>) -> Verdict {
    let mut reasons = Vec::new();
    let mut add = |holds: bool, reason: Reason| {
        if holds && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    let has = |side: &Measured<'_>, kind| side.warnings.iter().any(|w| w.kind == kind);
    add(a.bytes != b.bytes || a.flops != b.flops, Reason::WorkDiffers);
    add(a.timing.cache != b.timing.cache, Reason::CacheDiffers);
    add(a.timing.device_clock != b.timing.device_clock, Reason::ClockDiffers);
    add(has(a, WarningKind::BoundsChecks) != has(b, WarningKind::BoundsChecks), Reason::ChecksDiffer);
    for warning in a.warnings.iter().chain(b.warnings) {
        add(disqualifies(warning.kind), Reason::Warned(warning.kind));
    }
    let ([a_low, a_high], [b_low, b_high]) = (a.timing.interval_s, b.timing.interval_s);
    // Written so that a time that is not a number, or not positive, counts as an overlap.
    let a_faster = a_low > 0.0 && a_high < b_low;
    let b_faster = b_low > 0.0 && b_high < a_low;
    add(!a_faster && !b_faster, Reason::IntervalsOverlap);
    if !reasons.is_empty() {
        Verdict::Unsettled(reasons)
    } else if a_faster {
        let factor = b.timing.median_s / a.timing.median_s;
        Verdict::Faster { factor, interval: [b_low / a_high, b_high / a_low] }
    } else {
        let factor = a.timing.median_s / b.timing.median_s;
        Verdict::Slower { factor, interval: [a_low / b_high, a_high / b_low] }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::record::CacheState;

    fn timing(low: f64, median: f64, high: f64) -> Timing {
        Timing {
            samples: vec![low, median, high],
            median_s: median,
            p10_s: low,
            p90_s: high,
            interval_s: [low, high],
            cache: CacheState::Cold,
            launches_per_sample: 1,
            device_clock: true,
        }
    }

    fn side<'a>(timing: &'a Timing, warnings: &'a [Warning]) -> Measured<'a> {
        Measured { timing, bytes: 8.0, flops: 1.0, warnings }
    }

    fn warned(kind: WarningKind) -> Vec<Warning> {
        vec![Warning { kind, message: "seen".into(), hint: "do".into() }]
    }

    #[test]
    fn a_verdict_reads_as_one() {
        let (fast, slow) = (timing(0.9, 1.0, 1.1), timing(2.0, 2.1, 2.2));
        let verdict = compare(&side(&fast, &[]), &side(&slow, &[]));
        assert_eq!(verdict.to_string(), "2.10x faster (1.82 to 2.44)");
        assert!(
            matches!(compare(&side(&slow, &[]), &side(&fast, &[])), Verdict::Slower { factor, .. } if factor == 2.1)
        );
    }

    #[test]
    fn every_obstacle_is_named() {
        let (fast, slow) = (timing(0.9, 1.0, 1.1), timing(2.0, 2.1, 2.2));
        let plain = side(&slow, &[]);
        let because = |a: Measured<'_>| match compare(&a, &plain) {
            Verdict::Unsettled(reasons) => reasons,
            other => panic!("{other}"),
        };
        assert_eq!(because(Measured { bytes: 9.0, ..side(&fast, &[]) }), [Reason::WorkDiffers]);
        assert_eq!(because(side(&timing(1.0, 2.0, 2.05), &[])), [Reason::IntervalsOverlap]);
        let warm = Timing { cache: CacheState::Warm, device_clock: false, ..fast.clone() };
        assert_eq!(because(side(&warm, &[])), [Reason::CacheDiffers, Reason::ClockDiffers]);
        let noisy = warned(WarningKind::Noisy);
        assert_eq!(because(side(&fast, &noisy)), [Reason::Warned(WarningKind::Noisy)]);
        let checked = warned(WarningKind::BoundsChecks);
        assert_eq!(because(side(&fast, &checked)), [Reason::ChecksDiffer]);
        let both = compare(&side(&fast, &checked), &side(&slow, &checked));
        assert!(matches!(both, Verdict::Faster { .. }), "{both}");
        assert_eq!(because(side(&timing(f64::NAN, f64::NAN, f64::NAN), &[])), [Reason::IntervalsOverlap]);
    }

    proptest! {
        #[test]
        fn swapping_the_sides_swaps_the_verdict(a in 0.1_f64..10.0, b in 0.1_f64..10.0, wa in 0.0_f64..0.5, wb in 0.0_f64..0.5) {
            let (ta, tb) = (timing(a * (1.0 - wa), a, a * (1.0 + wa)), timing(b * (1.0 - wb), b, b * (1.0 + wb)));
            let (ab, ba) = (compare(&side(&ta, &[]), &side(&tb, &[])), compare(&side(&tb, &[]), &side(&ta, &[])));
            match (ab, ba) {
                (Verdict::Faster { factor, interval }, Verdict::Slower { factor: f2, interval: i2 })
                | (Verdict::Slower { factor, interval }, Verdict::Faster { factor: f2, interval: i2 }) => {
                    prop_assert_eq!((factor, interval), (f2, i2));
                    prop_assert!(factor > 1.0 && interval[0] <= factor && factor <= interval[1]);
                }
                (Verdict::Unsettled(x), Verdict::Unsettled(y)) => prop_assert_eq!(x, y),
                (x, y) => prop_assert!(false, "{} against {}", x, y),
            }
        }
    }
}
