//! The names that a lesson's expressions may use, and their values.
//!
//! A name is a parameter, a value, or `<run>.<field>`: a result of a kernel, of a program, of a prediction's probe or of an
//! exercise, with the fields of [`result_fields`]; `device` is a run with the fields of [`DEVICE_FIELDS`]. A program's passes have
//! results of their own, `<program>.<pass>.<field>`; it also has its rounds and its series, `<program>.<series>`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::model::{Lesson, Param, Value};
use crate::base::expr::{EvalError, Expr, Scope};
use crate::base::units::Work;
use crate::trace::counters::{CACHE_COUNTERS, COUNTERS};
use crate::trace::{Ceilings, Record, Timing, Trace};

/// A result of a run, as expressions and the guide know it.
#[derive(Clone, Copy, Debug)]
pub struct ResultField {
    /// Its name in expressions.
    pub name: &'static str,
    /// Its unit; `1` for a number of things.
    pub unit: &'static str,
    /// Its definition, in a phrase.
    pub help: &'static str,
}

const fn field(name: &'static str, unit: &'static str, help: &'static str) -> ResultField {
    ResultField { name, unit, help }
}

/// The timed results of a run.
pub const TIMED_FIELDS: [ResultField; 3] = [
    field("time", "s", "the median time; it needs a device that measures"),
    field("bytes_per_s", "B/s", "`bytes` over the time"),
    field("flops_per_s", "FLOP/s", "`flops` over the time"),
];

/// The time of a run on the modelled device.
pub const PREDICTED_TIME: ResultField =
    field("predicted_time", "s", "the time on the modelled device, as predicted; of a pass, of all its launches");

/// The results of a run from the lesson's own arithmetic.
pub const WORK_FIELDS: [ResultField; 2] = [
    field("bytes", "B", "what the lesson says that the work needs to move"),
    field("flops", "FLOP", "what the lesson says that it computes"),
];

/// The number of launches of a pass; of a program, the sum over its passes.
const LAUNCHES: ResultField = field("launches", "1", "launches; for a program, those of all its passes");

/// The number of rounds of a program's first repetition.
pub const ROUNDS: ResultField = field("rounds", "1", "for a program: rounds of its first repetition");

/// Measured figures of the device.
pub const DEVICE_FIELDS: [ResultField; 3] = [
    field("copy", "B/s", "`device.copy`: how fast the device copies large buffers"),
    field("fma", "FLOP/s", "`device.fma`: how fast it multiplies and adds"),
    field("launch", "s", "`device.launch`: what an empty launch takes"),
];

/// The run whose results are figures of the device.
pub const DEVICE: &str = "device";

/// The run of the learner's exercise, for the goal.
pub const EXERCISE: &str = "exercise";

/// The maximum length of a chain of values that refer to one another.
pub const MAX_CHAIN: usize = 32;

/// The results of a run that are the same on any machine: those of its lesson's arithmetic, and the counts of its trace.
pub fn counted_fields() -> impl Iterator<Item = ResultField> {
    let counters = COUNTERS.iter().map(|counter| field(counter.name, counter.unit, counter.help));
    let caches = CACHE_COUNTERS.iter().map(|counter| field(counter.name, counter.unit, counter.help));
    WORK_FIELDS.into_iter().chain(counters).chain(caches).chain([LAUNCHES])
}

/// All results of a run: [`TIMED_FIELDS`], [`PREDICTED_TIME`], then [`counted_fields`].
pub fn result_fields() -> impl Iterator<Item = ResultField> {
    TIMED_FIELDS.into_iter().chain([PREDICTED_TIME]).chain(counted_fields())
}

/// The results so far, by their names in expressions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results(BTreeMap<String, f64>);

impl Results {
    /// The result `<run>.<field>`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Sets one result of a run.
    pub fn insert(&mut self, run: &str, field: &str, value: f64) {
        self.0.insert(format!("{run}.{field}"), value);
    }

    /// Removes all results of a run.
    pub fn remove(&mut self, run: &str) {
        self.0.retain(|name, _| name.split_once('.').is_none_or(|(of, _)| of != run));
    }

    /// Replaces the results of a run by those of a record: counts from a complete trace, time if it was measured, and the same of each pass
    /// under the run's name and its own; rounds, and the last figure of each series.
    pub fn insert_record(&mut self, run: &str, record: &Record) {
        self.insert_used(run, record, &|_| true);
    }

    /// As [`Results::insert_record`], of passes only those that are used.
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    pub fn insert_used(&mut self, run: &str, record: &Record, is_used: &dyn Fn(&str) -> bool) {
        self.remove(run);
        if !record.trusted() {
            return;
        }
        self.insert_run(run, record.work, record.timing.as_ref(), record.total().as_ref());
        self.insert(run, LAUNCHES.name, record.passes.iter().map(|pass| pass.launches).sum::<u64>() as f64);
        if let Some((_, rounds)) = record.rounds.first() {
            self.insert(run, ROUNDS.name, *rounds as f64);
        }
        for (id, figures) in &record.series {
            figures.last().filter(|figure| figure.is_finite()).into_iter().for_each(|last| self.insert(run, id, *last));
        }
        for pass in record.passes.iter().filter(|pass| is_used(&pass.id)) {
            let name = format!("{run}.{}", pass.id);
            self.insert_run(&name, pass.work, pass.timing.as_ref(), pass.trace.as_ref());
            self.insert(&name, LAUNCHES.name, pass.launches as f64);
        }
    }

    /// Adds the results of a run, or of one of its passes.
    #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
    fn insert_run(&mut self, run: &str, work: Work, timing: Option<&Timing>, trace: Option<&Trace>) {
        self.insert(run, "bytes", work.bytes);
        self.insert(run, "flops", work.flops);
        if let Some(timing) = timing {
            self.insert_time(run, timing.median_s, work);
        }
        let Some(trace) = trace.filter(|trace| trace.complete) else { return };
        COUNTERS.iter().for_each(|counter| self.insert(run, counter.name, (counter.of)(trace) as f64));
        if let Some(caches) = &trace.caches {
            CACHE_COUNTERS.iter().for_each(|counter| self.insert(run, counter.name, (counter.of)(caches) as f64));
        }
    }

    /// Adds the times of a record to the results of a run, whose counts may come from another backend.
    pub fn insert_timing(&mut self, run: &str, record: &Record) {
        if let Some(timing) = &record.timing {
            self.insert_time(run, timing.median_s, record.work);
        }
        for pass in &record.passes {
            if let Some(timing) = &pass.timing {
                self.insert_time(&format!("{run}.{}", pass.id), timing.median_s, pass.work);
            }
        }
    }

    /// Sets a run's time in seconds, and its rates.
    pub fn insert_time(&mut self, run: &str, time_s: f64, work: Work) {
        let rate = work.per_second(time_s);
        self.insert(run, "time", time_s);
        self.insert(run, "bytes_per_s", rate.bytes);
        self.insert(run, "flops_per_s", rate.flops);
    }

    /// Sets the device's ceilings; `copy` is the copy kernel's, or else the driver's.
    pub fn insert_ceilings(&mut self, ceilings: &Ceilings) {
        self.remove(DEVICE);
        let copy = ceilings.copy_bytes_per_s.or(ceilings.device_copy_bytes_per_s);
        for (field, value) in [("copy", copy), ("fma", ceilings.fma_flops_per_s), ("launch", ceilings.launch_s)] {
            if let Some(value) = value {
                self.insert(DEVICE, field, value);
            }
        }
    }

    /// All results by name, in the names' order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

/// Parameters by id, if they differ from their defaults.
pub type Settings = BTreeMap<String, f64>;

/// The values of all names, at some settings and with the results so far. They are evaluated when first needed.
#[derive(Debug)]
pub struct Env<'a> {
    params: &'a [Param],
    values: &'a [Value],
    settings: &'a Settings,
    results: Option<&'a Results>,
    known: RefCell<BTreeMap<&'a str, f64>>,
    chain: Cell<usize>,
}

impl<'a> Env<'a> {
    /// The names of `lesson`, with all results so far.
    #[must_use]
    pub fn new(lesson: &'a Lesson, settings: &'a Settings, results: &'a Results) -> Self {
        Self { results: Some(results), ..Self::fixed(&lesson.params, &lesson.values, settings) }
    }

    /// Parameters and the values that follow from them alone, for counts, grids and constants.
    #[must_use]
    pub fn fixed(params: &'a [Param], values: &'a [Value], settings: &'a Settings) -> Self {
        Self { params, values, settings, results: None, known: RefCell::default(), chain: Cell::default() }
    }

    /// The value of `expr`.
    ///
    /// # Errors
    /// Where a result is not available yet, or a part is not finite.
    pub fn eval(&self, expr: &Expr) -> Result<f64, EvalError> {
        expr.eval(self)
    }

    /// The value of `expr` as a count.
    ///
    /// # Errors
    /// As [`Env::eval`]; also where it is not a whole number of at least `least`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and checked just before")]
    #[expect(clippy::cast_precision_loss, reason = "`least` is a small number")]
    pub fn whole(&self, expr: &Expr, least: u64) -> Result<u64, EvalError> {
        let value = self.eval(expr)?;
        if value.fract() == 0.0 && value >= least as f64 && value < 9.0e15 {
            Ok(value as u64)
        } else {
            Err(EvalError::NotWhole { source: expr.source().to_owned(), value, least })
        }
    }
}

impl Scope for Env<'_> {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        if let Some(param) = self.params.iter().find(|param| param.id == name) {
            return Ok(self.settings.get(name).copied().unwrap_or(param.default));
        }
        if let Some(value) = self.values.iter().find(|value| value.id == name) {
            if let Some(known) = self.known.borrow().get(name) {
                return Ok(*known);
            }
            if self.chain.get() == MAX_CHAIN {
                return Err(EvalError::TooDeep(name.to_owned()));
            }
            self.chain.set(self.chain.get() + 1);
            let result = value.expr.eval(self);
            self.chain.set(self.chain.get() - 1);
            if let Ok(number) = result {
                self.known.borrow_mut().insert(&value.id, number);
            }
            return result;
        }
        self.results.and_then(|results| results.get(name)).ok_or_else(|| EvalError::Missing(name.to_owned()))
    }
}

impl Lesson {
    /// The parameters that `expr` depends on, directly or through values, in the lesson's order.
    #[must_use]
    pub fn blame(&self, expr: &Expr) -> Vec<String> {
        self.blame_all(vec![expr])
    }

    /// The same for several expressions together.
    #[must_use]
    pub fn blame_all<'a>(&'a self, exprs: Vec<&'a Expr>) -> Vec<String> {
        let seen = self.names_behind(exprs);
        self.params.iter().map(|param| param.id.clone()).filter(|id| seen.contains(&id.as_str())).collect()
    }

    /// The names that expressions use, directly or through values, each once.
    #[must_use]
    pub fn names_behind<'a>(&'a self, mut open: Vec<&'a Expr>) -> Vec<&'a str> {
        let mut seen: Vec<&str> = Vec::new();
        while let Some(expr) = open.pop() {
            for (name, _) in expr.names() {
                if !seen.contains(&name) {
                    seen.push(name);
                    open.extend(self.values.iter().find(|value| value.id == name).map(|value| &value.expr));
                }
            }
        }
        seen
    }

    /// The runs whose results `expr` uses, directly or through values, each with whether one of them is timed.
    #[must_use]
    pub fn runs_behind(&self, expr: &Expr) -> Vec<(String, bool)> {
        let mut runs: Vec<(String, bool)> = Vec::new();
        for name in self.names_behind(vec![expr]) {
            let Some((run, field)) = name.split_once('.') else { continue };
            let timed = TIMED_FIELDS.iter().any(|timed| field.rsplit('.').next() == Some(timed.name));
            match runs.iter_mut().find(|(known, _)| known == run) {
                Some((_, any)) => *any |= timed,
                None => runs.push((run.to_owned(), timed)),
            }
        }
        runs
    }

    /// The parameter of this id.
    #[must_use]
    pub fn param(&self, id: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.id == id)
    }

    /// The kernel of this id.
    #[must_use]
    pub fn kernel(&self, id: &str) -> Option<&super::model::Kernel> {
        self.kernels.iter().find(|kernel| kernel.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::model::Domain;
    use crate::trace::{AccessCounts, Backend, CacheState, GlobalCounts, PassRecord};

    fn expr(text: &str) -> Expr {
        #[expect(clippy::unwrap_used, reason = "the tests below write expressions that parse")]
        Expr::parse(text).unwrap()
    }

    fn lesson() -> Lesson {
        let param = |id: &str, default: f64| Param {
            id: id.to_owned(),
            label: String::new(),
            help: String::new(),
            unit: String::new(),
            default,
            names: Vec::new(),
            domain: Domain::Range { min: 1.0, max: 64.0 },
        };
        let value = |id: &str, text: &str| Value {
            id: id.to_owned(),
            label: String::new(),
            unit: String::new(),
            expr: expr(text),
        };
        Lesson {
            id: "l".to_owned(),
            title: String::new(),
            summary: String::new(),
            presupposes: Vec::new(),
            python_first: false,
            params: vec![param("n", 8.0), param("stride", 2.0), param("other", 1.0)],
            values: vec![
                value("bytes", "4 * n"),
                value("span", "bytes * stride"),
                value("speed", "span / copy.time"),
                value("v0", "n"),
            ],
            kernels: Vec::new(),
            programs: Vec::new(),
            experiments: Vec::new(),
            bench: Vec::new(),
            steps: Vec::new(),
            predictions: Vec::new(),
            exercises: Vec::new(),
            files: crate::pack::PackFiles::Embedded,
        }
    }

    fn record() -> Record {
        let timing = Timing {
            samples: vec![0.5],
            median_s: 0.5,
            p10_s: 0.5,
            p90_s: 0.5,
            interval_s: [0.5, 0.5],
            cache: CacheState::Cold,
            launches_per_sample: 1,
            device_clock: true,
        };
        let load = AccessCounts { requests: 2, sectors: 8, bytes: 256 };
        let global = GlobalCounts { load, ..GlobalCounts::default() };
        let caches = Some(crate::trace::CacheCounts::default());
        let trace = Some(Trace { global, complete: true, warps: 3, caches, ..Trace::default() });
        let work = Work { bytes: 128.0, flops: 1.0 };
        let pass = PassRecord {
            id: "all".to_owned(),
            launches: 2,
            work,
            timing: Some(timing.clone()),
            trace,
            ..PassRecord::default()
        };
        Record {
            program: "copy".to_owned(),
            backend: Backend::Simt,
            passes: vec![pass],
            rounds: vec![("steps".to_owned(), 2)],
            checks: Vec::new(),
            work,
            timing: Some(timing),
            series: vec![("loss".to_owned(), vec![4.0, 2.0])],
            looks: Vec::new(),
            film: None,
            unwritten: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn values_follow_parameters_and_results() {
        let lesson = lesson();
        let settings = Settings::from([("n".to_owned(), 16.0)]);
        let mut results = Results::default();
        let missing = Env::new(&lesson, &settings, &results).eval(&expr("speed"));
        assert_eq!(missing, Err(EvalError::Missing("copy.time".to_owned())));
        results.insert_record("copy", &record());
        let env = Env::new(&lesson, &settings, &results);
        assert_eq!(env.eval(&expr("speed")), Ok(256.0));
        assert_eq!(env.eval(&expr("copy.load_sectors / copy.load_requests + copy.warps")), Ok(7.0));
        assert_eq!(env.eval(&expr("copy.bytes_per_s")), Ok(256.0));
        assert_eq!(env.eval(&expr("device.copy")), Err(EvalError::Missing("device.copy".to_owned())));
        let fixed = Env::fixed(&lesson.params, &lesson.values, &settings);
        assert_eq!(fixed.eval(&expr("copy.time")), Err(EvalError::Missing("copy.time".to_owned())));
    }

    #[test]
    fn every_result_field_of_a_full_record_is_filled() {
        let mut results = Results::default();
        results.insert_record("copy", &record());
        let fields = || TIMED_FIELDS.into_iter().chain(counted_fields()).map(|field| field.name);
        let of_run = fields().chain([ROUNDS.name, "loss"]).map(|field| format!("copy.{field}"));
        let mut named: Vec<String> = of_run.chain(fields().map(|field| format!("copy.all.{field}"))).collect();
        named.sort();
        assert_eq!((results.get("copy.loss"), results.get("copy.all.launches")), (Some(2.0), Some(2.0)));
        assert_eq!(results.iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>(), named);
    }

    #[test]
    fn a_part_of_a_trace_gives_no_counts_and_a_new_record_replaces_the_old() {
        let mut results = Results::default();
        results.insert("copy2", "time", 1.0);
        results.insert_record("copy", &record());
        let mut cut = record();
        (cut.timing, cut.series, cut.rounds) = (None, Vec::new(), Vec::new());
        cut.passes[0].timing = None;
        cut.passes[0].trace.iter_mut().for_each(|trace| trace.complete = false);
        results.insert_record("copy", &cut);
        let names: Vec<&str> = results.iter().map(|(name, _)| name).collect();
        let known =
            ["all.bytes", "all.flops", "all.launches", "bytes", "flops", "launches"].map(|name| format!("copy.{name}"));
        assert_eq!(names[..6], known);
        assert_eq!(names[6..], ["copy2.time"]);
    }

    #[test]
    fn ceilings_are_results_of_the_device() {
        let mut results = Results::default();
        results.insert_ceilings(&Ceilings {
            device_copy_bytes_per_s: Some(3e12),
            copy_bytes_per_s: Some(2e12),
            fma_flops_per_s: None,
            launch_s: Some(5e-6),
            host_launch_s: None,
        });
        assert_eq!(results.get("device.copy"), Some(2e12), "the copy kernel's, which kernels can reach");
        assert_eq!(results.get("device.fma"), None);
        assert_eq!(results.get("device.launch"), Some(5e-6));
    }

    #[test]
    fn counts_are_whole() {
        let (lesson, settings) = (lesson(), Settings::new());
        let env = Env::fixed(&lesson.params, &lesson.values, &settings);
        assert_eq!(env.whole(&expr("bytes"), 1), Ok(32));
        assert!(matches!(env.whole(&expr("n / 3"), 1), Err(EvalError::NotWhole { .. })));
        assert!(matches!(env.whole(&expr("n - 8"), 1), Err(EvalError::NotWhole { .. })));
        assert_eq!(env.whole(&expr("n - 8"), 0), Ok(0));
        assert!(matches!(env.whole(&expr("-n"), 0), Err(EvalError::NotWhole { .. })));
    }

    #[test]
    fn blame_goes_through_values() {
        let lesson = lesson();
        assert_eq!(lesson.blame(&expr("span + 1")), ["n", "stride"]);
        assert_eq!(lesson.blame(&expr("3")), Vec::<String>::new());
    }

    #[test]
    fn values_that_double_are_evaluated_once_and_cycles_end() {
        let mut lesson = lesson();
        for i in 1..30 {
            let text = format!("v{0} + v{0}", i - 1);
            let id = format!("v{i}");
            lesson.values.push(Value { id, label: String::new(), unit: String::new(), expr: expr(&text) });
        }
        let settings = Settings::new();
        let env = Env::fixed(&lesson.params, &lesson.values, &settings);
        assert_eq!(env.eval(&expr("v29")), Ok(8.0 * 2_f64.powi(29)));
        lesson.values[3].expr = expr("v29 + 1");
        let env = Env::fixed(&lesson.params, &lesson.values, &settings);
        assert!(matches!(env.eval(&expr("v29")), Err(EvalError::TooDeep(_))));
    }
}
