//! Detecting from a load's time whether a GPU's clock is up: an idle one slows down, and short kernels with waits
//! between them look idle.
//!
//! Seen on an H100: idle at 345 of 1,980 MHz; a third of a second of full load wakes it, while a kernel of 8 µs
//! launched every 200 µs takes 17 µs forever.

use std::time::Instant;

use super::backend::Failure;
use crate::base::units::digits3;
use crate::trace::record::{Warning, WarningKind};

/// Workgroups of the load at first, and turns of its loop: about 0.14 ms on an H100.
pub(super) const GROUPS: u32 = 4096;
pub(super) const TURNS: u32 = 32;

/// How long one load should take, in seconds; slower devices get fewer workgroups. As long as what the host needs
/// between two samples, so that the device is busy at least half of the time.
pub(super) const LOAD_S: f64 = 150e-6;

/// Loads that are timed together while waking: some milliseconds without a gap.
pub(super) const TOGETHER: u32 = 32;

/// The first time, nothing is known of how fast the device can be: as long as the slowest governor seen takes, with
/// some to spare.
pub(super) const FIRST_WAKE_S: f64 = 0.4;

/// Seconds after which waiting for full clocks is given up.
const LONGEST_WAKE_S: f64 = 1.0;

/// Within this factor of the best time the device is awake.
const AWAKE: f64 = 1.03;

/// Beyond this factor of the best time a warning is given.
const SLOW: f64 = 1.1;

/// How fast a load has been at best.
pub(super) struct Pace {
    /// The shortest time of one load so far, in seconds.
    best_s: f64,
}

impl Pace {
    /// Of a load that has not run yet.
    pub(super) fn new() -> Self {
        Self { best_s: f64::INFINITY }
    }

    /// How many workgroups the load should have in place of [`GROUPS`] on a device as fast as seen so far, where that
    /// is fewer.
    pub(super) fn fewer_groups(&self) -> Option<u32> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most GROUPS")]
        let fewer = (f64::from(GROUPS) * LOAD_S / self.best_s).max(1.0) as u32;
        (self.best_s > LOAD_S).then_some(fewer)
    }

    /// Runs `load`, which returns the seconds of one load, until it is as fast as it has been before and `least_s` have
    /// passed.
    pub(super) fn wake(&mut self, least_s: f64, mut load: impl FnMut() -> Result<f64, Failure>) -> Result<(), Failure> {
        let start = Instant::now();
        let mut in_a_row = 0;
        loop {
            let slowdown = self.slowdown(load()?);
            in_a_row = if slowdown <= AWAKE { in_a_row + 1 } else { 0 };
            let passed = start.elapsed().as_secs_f64();
            if (passed >= least_s && in_a_row >= 3) || passed >= LONGEST_WAKE_S.max(least_s) {
                return Ok(());
            }
        }
    }

    /// The warning about slow clocks if the load takes `seconds` now, after a measurement.
    pub(super) fn warning(&mut self, seconds: f64) -> Option<Warning> {
        let slowdown = self.slowdown(seconds);
        (slowdown > SLOW).then(|| Warning {
            kind: WarningKind::SlowClock,
            message: format!("the device runs {}x slower now than it did before", digits3(slowdown)),
            hint: "let it cool, plug it in, or end what else uses it; then run again".to_owned(),
        })
    }

    /// How much slower than at its best a load is that takes `seconds`; 1 is as fast.
    fn slowdown(&mut self, seconds: f64) -> f64 {
        self.best_s = self.best_s.min(seconds);
        seconds / self.best_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_load_is_noticed_and_a_large_one_made_smaller() -> Result<(), Failure> {
        let mut pace = Pace::new();
        pace.wake(0.0, || Ok(2.0 * LOAD_S))?;
        assert_eq!(pace.fewer_groups(), Some(GROUPS / 2));
        assert_eq!(pace.warning(2.1 * LOAD_S), None);
        assert!(pace.warning(2.4 * LOAD_S).is_some_and(|w| w.kind == WarningKind::SlowClock));
        // The best is never forgotten.
        pace.wake(0.0, || Ok(0.5 * LOAD_S))?;
        assert_eq!(pace.fewer_groups(), None);
        assert!(pace.warning(LOAD_S).is_some());
        Ok(())
    }
}
