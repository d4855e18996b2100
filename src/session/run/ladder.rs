//! Comparisons (speedups) of a ladder's rungs: each against the one before it, if their times allow a verdict.

use serde::Serialize;

use crate::base::units::Work;
use crate::lesson::{Kernel, Lesson};
use crate::measure::compare::{self, Measured, Verdict};
use crate::trace::Record;

/// One rung against the one before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The rung.
    pub kernel: String,
    /// The rung before it.
    pub against: String,
    /// How many times faster it is; below 1 if slower, None if there is no verdict.
    pub factor: Option<f64>,
    /// The least and the greatest factor that the medians' intervals allow.
    pub interval: Option<[f64; 2]>,
    /// Why there is no verdict.
    pub reasons: Vec<String>,
}

impl Comparison {
    /// In words: "2.10× faster than naive", or why there is no verdict.
    #[must_use]
    pub fn words(&self, title: &str) -> String {
        let digits = crate::base::units::digits3;
        match self.factor {
            Some(factor) if factor >= 1.0 => format!("{}× faster than {title}", digits(factor)),
            Some(factor) => format!("{}× slower than {title}", digits(1.0 / factor)),
            None => format!("no verdict against {title}: {}", self.reasons.join("; ")),
        }
    }
}

/// The rung before a kernel in its ladder.
#[must_use]
pub fn before<'a>(lesson: &'a Lesson, kernel: &Kernel) -> Option<&'a Kernel> {
    let rungs = lesson.kernels.iter().filter(|k| !k.ladder.is_empty() && k.ladder == kernel.ladder);
    rungs.take_while(|k| k.id != kernel.id).last()
}

fn measured(record: &Record) -> Option<Measured<'_>> {
    let Work { bytes, flops } = record.work;
    Some(Measured { timing: record.timing.as_ref()?, bytes, flops, warnings: &record.warnings })
}

/// Compares two kernels that were both timed.
#[must_use]
pub fn compare(record: &Record, against: &Record) -> Option<Comparison> {
    let (factor, interval, reasons) = match compare::compare(&measured(record)?, &measured(against)?) {
        Verdict::Faster { factor, interval } => (Some(factor), Some(interval), Vec::new()),
        Verdict::Slower { factor, interval: [low, high] } => {
            (Some(1.0 / factor), Some([1.0 / high, 1.0 / low]), Vec::new())
        }
        Verdict::Unsettled(reasons) => (None, None, reasons.iter().map(ToString::to_string).collect()),
    };
    Some(Comparison { kernel: record.program.clone(), against: against.program.clone(), factor, interval, reasons })
}
