//! Answering a prediction with the learner's own runs.

use std::sync::atomic::AtomicBool;

use super::devices::Devices;
use super::jobs::{self, Params};
use super::run;
use crate::base::diag::Diagnostic;
use crate::lesson::expr::Expr;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Lesson, Prediction};
use crate::trace::record::Backend;

/// What the runs say.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// From the probes' times; none where nothing could be timed.
    pub measured: Option<f64>,
    /// From the probes' traces.
    pub traced: Option<f64>,
    /// The device that was timed, where one was.
    pub device: Option<String>,
}

impl Answer {
    /// The figure that decides: the measured one, or else the traced one.
    #[must_use]
    pub fn decisive(&self) -> Option<f64> {
        self.measured.or(self.traced)
    }

    /// Which option it is nearest to, by ratio; the first of equals.
    #[must_use]
    pub fn nearest_option(&self, options: &[(String, f64)]) -> Option<usize> {
        let answer = self.decisive().filter(|a| *a > 0.0)?;
        let distance = |value: f64| if value > 0.0 { (value / answer).ln().abs() } else { f64::INFINITY };
        (0..options.len()).min_by(|&a, &b| distance(options[a].1).total_cmp(&distance(options[b].1)))
    }
}

/// Runs the probes of a prediction: traced always, timed where `device` is not the tracer.
///
/// # Errors
/// Whatever kept a probe from running. A device that cannot time is no error: the answer then lacks `measured`.
pub fn answer(
    devices: &Devices,
    lesson: &Lesson,
    prediction: &Prediction,
    params: &Params,
    backend: Backend,
    seed: u64,
    bounds_checks: bool,
    cancel: &AtomicBool,
) -> Result<Answer, Vec<Diagnostic>> {
    let evaluate = |backend: Backend, expr: &Expr| -> Result<Option<f64>, Vec<Diagnostic>> {
        let mut results = Results::default();
        let purpose = run::purpose(backend, seed, bounds_checks);
        for probe in &prediction.probes {
            let Some(kernel) = lesson.kernels.iter().find(|k| k.id == probe.kernel) else { continue };
            let params = jobs::with(params, &probe.set);
            let (record, bytes, flops) =
                run::kernel(devices, backend, lesson, kernel, &params, &purpose, cancel, &mut |_| {})?;
            if let Some(problem) = run::failed_check(&kernel.file, &record) {
                return Err(vec![problem]);
            }
            results.insert_record(&probe.id, &record, bytes, flops);
        }
        Ok(Env::new(lesson, params, &results).eval(expr).ok())
    };
    let traced = evaluate(Backend::Simt, &prediction.traced)?;
    let (measured, device) = if backend == Backend::Simt {
        (None, None)
    } else {
        let device = devices.describe(backend).map_err(|d| vec![d])?.name;
        (evaluate(backend, &prediction.measured)?, Some(device))
    };
    Ok(Answer { measured, traced, device })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_option_by_ratio() {
        let options = [("80%".to_owned(), 0.8), ("90%".to_owned(), 0.9), ("20%".to_owned(), 0.2)];
        let answer = |measured, traced| Answer { measured, traced, device: None };
        assert_eq!(answer(Some(0.93), Some(0.8)).nearest_option(&options), Some(1));
        assert_eq!(answer(None, Some(0.8)).nearest_option(&options), Some(0));
        assert_eq!(answer(None, None).nearest_option(&options), None);
    }
}
