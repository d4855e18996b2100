//! Answering a prediction with the learner's own runs.

use std::sync::atomic::AtomicBool;

use super::devices::Devices;
use super::jobs::{self, Params};
use super::run::{self, Runner};
use crate::base::diag::Diagnostic;
use crate::base::expr::Expr;
use crate::base::units::{number, si};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Lesson, Prediction};
use crate::trace::record::{Backend, Record};

/// What the runs say.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// From the probes' times; none where nothing could be timed.
    pub measured: Option<f64>,
    /// From the probes' traces.
    pub traced: Option<f64>,
    /// The device that was timed, where one was.
    pub device: Option<String>,
    /// What was run, a line each: with its parameters and, where it was timed, its spread and its samples.
    #[serde(default)]
    pub runs: Vec<String>,
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

/// What a prediction is answered with.
pub struct Asked<'a> {
    /// The lesson.
    pub lesson: &'a Lesson,
    /// The prediction.
    pub prediction: &'a Prediction,
    /// The learner's parameters; each probe's own take precedence.
    pub params: &'a Params,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Whether the device's compiler guards indices.
    pub bounds_checks: bool,
}

impl Asked<'_> {
    /// Runs the probes: traced always, timed where `backend` is not the tracer.
    ///
    /// # Errors
    /// Whatever kept a probe from running. A device that cannot time is no error: the answer then lacks `measured`.
    pub fn answer(&self, devices: &Devices, backend: Backend, cancel: &AtomicBool) -> Result<Answer, Vec<Diagnostic>> {
        let (traced, runs) = self.evaluate(devices, Backend::Simt, &self.prediction.traced, cancel)?;
        let measured = self.prediction.measured.as_ref().filter(|_| backend != Backend::Simt);
        let Some(measured) = measured else {
            return Ok(Answer { measured: None, traced, device: None, runs });
        };
        let device = devices.describe(backend).map_err(|d| vec![d])?.name;
        let (measured, runs) = self.evaluate(devices, backend, measured, cancel)?;
        Ok(Answer { measured, traced, device: Some(device), runs })
    }

    fn evaluate(
        &self,
        devices: &Devices,
        backend: Backend,
        expr: &Expr,
        cancel: &AtomicBool,
    ) -> Result<(Option<f64>, Vec<String>), Vec<Diagnostic>> {
        let mut runs = Vec::new();
        let purpose = run::purpose(backend, self.seed, self.bounds_checks);
        let runner = Runner { devices, backend, lesson: self.lesson, purpose: &purpose, cancel };
        let mut results = Results::default();
        for probe in &self.prediction.probes {
            let title = self.lesson.title_of(&probe.variant);
            if !self.lesson.runs_on(&probe.variant, backend) {
                // An answer that takes its results is then none.
                runs.push(format!("{title} does not run on {}", backend.name()));
                continue;
            }
            let params = jobs::with(self.params, &probe.set);
            let done = runner.program(&probe.variant, &params)?;
            if let Some(problem) = crate::session::verdict::failed_check(&done.job, &done.record) {
                return Err(vec![problem]);
            }
            runs.push(described(&title, &params, &done.record));
            results.insert_record(&probe.id, &done.record);
        }
        Ok((Env::new(self.lesson, self.params, &results).eval(expr).ok(), runs))
    }
}

/// A run in words.
fn described(title: &str, params: &Params, record: &Record) -> String {
    let at: Vec<String> = params.iter().map(|(id, v)| format!("{id} = {}", number(*v))).collect();
    let time = record.timing.as_ref().map_or_else(String::new, |t| {
        let n = t.samples.len();
        format!(": {} (p10–p90 {}–{}), n = {n}", si(t.median_s, "s"), si(t.p10_s, "s"), si(t.p90_s, "s"))
    });
    format!("{title} at {}{time}", at.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_option_by_ratio() {
        let options = [("80%".to_owned(), 0.8), ("90%".to_owned(), 0.9), ("20%".to_owned(), 0.2)];
        let answer = |measured, traced| Answer { measured, traced, device: None, runs: Vec::new() };
        assert_eq!(answer(Some(0.93), Some(0.8)).nearest_option(&options), Some(1));
        assert_eq!(answer(None, Some(0.8)).nearest_option(&options), Some(0));
        assert_eq!(answer(None, None).nearest_option(&options), None);
    }
}
