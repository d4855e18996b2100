//! How far guesses are off: the learner's, by kind of question, and the device model's, by device; altogether and by day.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::units::digits3;

/// Guesses against answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Calibration {
    /// First answers that have a grade.
    pub graded: u32,
    /// Those that were right.
    pub right: u32,
    /// First answers with a ratio.
    pub ratios: u32,
    /// The sum of the ratios' binary logarithms: above 0 for guesses that were too high.
    sum: f64,
    /// The sum of their sizes.
    sizes: f64,
}

impl Calibration {
    /// Adds a guess: whether it was right, and the guess over the answer.
    pub fn take(&mut self, right: Option<bool>, off: Option<f64>) {
        self.graded += u32::from(right.is_some());
        self.right += u32::from(right == Some(true));
        if let Some(bits) = off.filter(|off| *off > 0.0).map(f64::log2).filter(|bits| bits.is_finite()) {
            self.ratios += 1;
            self.sum += bits;
            self.sizes += bits.abs();
        }
    }

    /// The guesses' geometric mean over the answers; None without ratios.
    #[must_use]
    pub fn bias(&self) -> Option<f64> {
        (self.ratios > 0).then(|| (self.sum / f64::from(self.ratios)).exp2())
    }

    /// The factor by which a guess is off, as a geometric mean; None without ratios.
    #[must_use]
    pub fn factor(&self) -> Option<f64> {
        (self.ratios > 0).then(|| (self.sizes / f64::from(self.ratios)).exp2())
    }

    /// How far the guesses were off, and to which side; nothing without ratios.
    #[must_use]
    pub fn off(&self) -> String {
        let Some((factor, bias)) = self.factor().zip(self.bias()) else { return String::new() };
        let side = match bias {
            bias if bias > 1.05 => ", rather too high",
            bias if bias < 0.95 => ", rather too low",
            _ => "",
        };
        format!("off by a factor of {} on average{side}", digits3(factor))
    }
}

/// Guesses against answers, altogether and by day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibrated {
    pub all: Calibration,
    /// By day, as YYYY-MM-DD.
    pub days: BTreeMap<String, Calibration>,
}

impl Calibrated {
    /// Adds a guess of a day; one without a day counts altogether only.
    pub fn take(&mut self, day: Option<String>, right: Option<bool>, off: Option<f64>) {
        self.all.take(right, off);
        if let Some(day) = day {
            self.days.entry(day).or_default().take(right, off);
        }
    }
}

/// A calibration as JSON.
#[derive(Serialize)]
pub(super) struct Row {
    graded: u32,
    right: u32,
    ratios: u32,
    bias: Option<f64>,
    factor: Option<f64>,
    /// By day, the factor by which a guess was off.
    days: BTreeMap<String, f64>,
}

impl Row {
    pub(super) fn of(of: &Calibrated) -> Self {
        let Calibration { graded, right, ratios, .. } = of.all;
        let days = of.days.iter().filter_map(|(day, of)| Some((day.clone(), of.factor()?))).collect();
        Self { graded, right, ratios, bias: of.all.bias(), factor: of.all.factor(), days }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_kept_by_day_and_altogether() {
        let mut of = Calibrated::default();
        of.take(Some("2026-11-29".to_owned()), Some(false), Some(4.0));
        of.take(Some("2026-11-30".to_owned()), Some(true), Some(1.0));
        of.take(None, None, Some(f64::NAN));
        assert_eq!((of.all.graded, of.all.right, of.all.ratios), (2, 1, 2));
        assert_eq!((of.all.factor(), of.days["2026-11-29"].factor()), (Some(2.0), Some(4.0)));
        assert_eq!(of.all.off(), "off by a factor of 2.00 on average, rather too high");
        assert_eq!((of.days["2026-11-30"].factor(), Calibration::default().off()), (Some(1.0), String::new()));
    }
}
