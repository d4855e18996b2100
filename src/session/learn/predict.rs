//! Answers a prediction by running its probes, and grades the learner's guess.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::drawn_curve::{self, Found, Points};
use crate::base::diag::Diagnostic;
use crate::base::expr::Expr;
use crate::base::units::{number, si};
use crate::lesson::scope::{Env, Results};
use crate::lesson::{AnswerDecl, AnswerKind, Lesson, Prediction};
use crate::session::jobs::{self, Params, cost};
use crate::session::run::check_failure;
use crate::session::run::devices::Devices;
use crate::session::run::{self, Runner};
use crate::trace::record::{Backend, Record};

/// A learner's prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Guess {
    /// An answer among those on offer, from 0.
    Choice(usize),
    Number(f64),
    Curve(Points),
}

/// The answer from the runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// From the probes' times; None if nothing could be timed.
    pub measured: Option<f64>,
    /// Its range with each time at its p10 or its p90.
    #[serde(default)]
    pub range: Option<[f64; 2]>,
    /// Whether a CPU took the times.
    #[serde(default)]
    pub software: bool,
    /// From the probes' traces.
    pub traced: Option<f64>,
    /// The device that was timed, if any.
    pub device: Option<String>,
    /// The day of the recording that the times are from; None if they were taken here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// Whether the question is about times: counts do not answer it.
    #[serde(default)]
    pub timed: bool,
    /// The runs, a line each: with its parameters and, if timed, its spread and its samples.
    #[serde(default)]
    pub runs: Vec<String>,
    /// The curve, if one was asked for and found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Found>,
}

/// The grade of a learner's prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// This option is the nearest.
    Nearest(usize),
    /// The number is within the tolerance, or not.
    Within(bool),
    /// The measured range covers several options, or crosses the tolerance's limit.
    Spread,
    /// A CPU took the times: they say little about a GPU.
    Cpu,
    /// There is no figure.
    Nothing,
}

impl Answer {
    /// The option nearest, by ratio, to the deciding figure: the measured one, or else the traced one. It does not
    /// decide if its spread covers several options, or if no GPU took it.
    #[must_use]
    pub fn grade(&self, options: &[(String, f64)]) -> Grade {
        let nearest = |answer: f64| {
            let distance = |value: f64| if value > 0.0 { (value / answer).ln().abs() } else { f64::INFINITY };
            let by_distance = |a: &usize, b: &usize| distance(options[*a].1).total_cmp(&distance(options[*b].1));
            (answer > 0.0).then(|| (0..options.len()).min_by(by_distance)).flatten()
        };
        match (self.measured, self.range) {
            (Some(_), _) if self.software => Grade::Cpu,
            (Some(_), Some([low, high])) if nearest(low) != nearest(high) => Grade::Spread,
            _ => self.deciding().and_then(nearest).map_or(Grade::Nothing, Grade::Nearest),
        }
    }

    /// The figure that grades: the measured one; the traced one unless the question is about times.
    #[must_use]
    pub fn deciding(&self) -> Option<f64> {
        self.measured.or(self.traced.filter(|_| !self.timed))
    }

    /// Whether a number is within a share of the deciding figure, chosen as in [`Answer::grade`]. It does not decide if
    /// the two ends of its spread disagree.
    #[must_use]
    pub fn grade_number(&self, guess: f64, within: f64) -> Grade {
        let is_right = |answer: f64| (guess - answer).abs() <= within * answer.abs();
        match (self.measured, self.range) {
            (Some(_), _) if self.software => Grade::Cpu,
            (Some(_), Some([low, high])) => {
                let (first, last) = (is_right(low), is_right(high));
                // A figure between the ends may be near the number even if neither end is.
                let undecided = first != last || (!first && (low..=high).contains(&guess));
                if undecided { Grade::Spread } else { Grade::Within(first) }
            }
            _ => self.deciding().map_or(Grade::Nothing, |answer| Grade::Within(is_right(answer))),
        }
    }
}

/// The input for answering a prediction.
pub struct Asked<'a> {
    pub lesson: &'a Lesson,
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
    /// The errors that kept a probe from running. A device that cannot time is no error: the answer then lacks
    /// `measured`.
    pub fn answer(&self, devices: &Devices, backend: Backend, cancel: &AtomicBool) -> Result<Answer, Vec<Diagnostic>> {
        let decl = match &self.prediction.asks {
            AnswerKind::Choice(_, decl) | AnswerKind::Number(_, decl) => decl,
            AnswerKind::Curve(decl) => {
                let how = (backend, self.seed, self.bounds_checks);
                return drawn_curve::run(devices, self.lesson, decl, how, cancel);
            }
        };
        let (records, runs) = self.probe(devices, decl, Backend::Simt, cancel)?;
        let traced = self.value(&decl.traced, &records);
        let unmeasured = Answer { traced, runs, ..Answer::default() };
        let measured = decl.measured.as_ref().filter(|_| backend != Backend::Simt);
        let Some(measured) = measured else { return Ok(unmeasured) };
        let device = devices.describe(backend).map_err(|d| vec![d])?;
        let (records, runs) = self.probe(devices, decl, backend, cancel)?;
        Ok(Answer {
            measured: self.value(measured, &records),
            range: self.range(measured, &records),
            software: device.software,
            device: Some(device.name),
            runs,
            ..unmeasured
        })
    }

    /// Runs the probes, and describes each run in a line.
    fn probe<'d>(
        &self,
        devices: &Devices,
        decl: &'d AnswerDecl,
        backend: Backend,
        cancel: &AtomicBool,
    ) -> Result<(Probed<'d>, Vec<String>), Vec<Diagnostic>> {
        let (mut records, mut runs) = (Vec::new(), Vec::new());
        let purpose = run::purpose(backend, self.seed, self.bounds_checks);
        let runner = Runner { devices, backend, lesson: self.lesson, purpose: &purpose, cancel };
        for probe in &decl.probes {
            let title = self.lesson.title_of(&probe.variant);
            let params = jobs::with(self.params, &probe.set);
            let runs_here = match backend {
                Backend::Simt => cost::is_traced(self.lesson, &probe.variant, &params),
                Backend::Wgpu | Backend::Cuda => self.lesson.runs_on(&probe.variant, backend),
            };
            if !runs_here {
                // There is then no answer that depends on its results.
                runs.push(format!("{title} does not run on {}", backend.name()));
                continue;
            }
            let done = runner.program(&probe.variant, &params)?;
            if let Some(problem) = check_failure::failed_check(&done.job, &done.record) {
                return Err(vec![problem]);
            }
            runs.push(described(&title, &params, &done.record));
            records.push((probe.id.as_str(), done.record));
        }
        Ok((records, runs))
    }

    fn value(&self, expr: &Expr, records: &Probed<'_>) -> Option<f64> {
        let mut results = Results::default();
        records.iter().for_each(|(id, record)| results.insert_record(id, record));
        Env::new(self.lesson, self.params, &results).eval(expr).ok()
    }

    /// The least and the greatest value with each record's time at either end of its spread.
    fn range(&self, expr: &Expr, records: &Probed<'_>) -> Option<[f64; 2]> {
        let corners = (0..1_u32 << records.len().min(6)).filter_map(|corner| {
            let mut moved = records.clone();
            for (i, (_, record)) in moved.iter_mut().enumerate() {
                if let Some(timing) = &mut record.timing {
                    timing.median_s = if corner >> i & 1 == 0 { timing.p10_s } else { timing.p90_s };
                }
            }
            self.value(expr, &moved)
        });
        corners.fold(None, |range, value| {
            let [low, high] = range.unwrap_or([value; 2]);
            Some([low.min(value), high.max(value)])
        })
    }
}

/// The probes by their ids, with the record of each.
type Probed<'a> = Vec<(&'a str, Record)>;

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
        let answer = |measured, range, software, traced| {
            Answer { measured, range, software, traced, ..Answer::default() }.grade(&options)
        };
        assert_eq!(answer(Some(0.93), Some([0.91, 0.97]), false, Some(0.8)), Grade::Nearest(1));
        assert_eq!(answer(None, None, false, Some(0.8)), Grade::Nearest(0));
        assert_eq!(answer(None, None, false, None), Grade::Nothing);
        let of_time = Answer { traced: Some(0.8), timed: true, ..Answer::default() };
        assert_eq!(of_time.grade(&options), Grade::Nothing, "counts do not grade a question about times");
        assert_eq!(answer(Some(0.79), Some([0.28, 1.4]), false, Some(0.8)), Grade::Spread);
        assert_eq!(answer(Some(0.79), Some([0.78, 0.8]), true, Some(0.8)), Grade::Cpu);
    }

    #[test]
    fn a_number_is_right_within_its_tolerance() {
        let grade = |measured, range, software, traced, guess| {
            Answer { measured, range, software, traced, ..Answer::default() }.grade_number(guess, 0.1)
        };
        for (guess, right) in [(10.0, true), (9.0, true), (11.0, true), (8.9, false), (11.1, false), (-10.0, false)] {
            assert_eq!(grade(None, None, false, Some(10.0), guess), Grade::Within(right), "{guess}");
        }
        assert_eq!(grade(None, None, false, Some(0.0), 0.0), Grade::Within(true));
        assert_eq!(grade(None, None, false, Some(0.0), 0.1), Grade::Within(false));
        assert_eq!(grade(None, None, false, None, 10.0), Grade::Nothing);
        // The measured figure decides, unless its spread is undecided or a CPU took it.
        assert_eq!(grade(Some(20.0), Some([19.9, 20.1]), false, Some(10.0), 20.0), Grade::Within(true));
        assert_eq!(grade(Some(20.0), Some([19.9, 20.1]), false, Some(10.0), 10.0), Grade::Within(false));
        assert_eq!(grade(Some(20.0), Some([15.0, 21.0]), false, None, 20.0), Grade::Spread);
        assert_eq!(grade(Some(20.0), Some([10.0, 30.0]), false, None, 20.0), Grade::Spread);
        assert_eq!(grade(Some(20.0), Some([19.9, 20.1]), true, Some(10.0), 20.0), Grade::Cpu);
    }
}
