//! The costs of a step of a model before it runs: parameters, operations, memory by buffer, and a time.

use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::devices::Devices;
use super::model::{self, Chosen};
use super::whole::whole;
use super::{Runner, purpose};
use crate::base::diag::Diagnostic;
use crate::device::point::least_s;
use crate::job::Job;
use crate::lesson::scope::{DEVICE, Results};
use crate::lesson::{Domain, Env, Lesson, Pack, Variant};
use crate::session::jobs::{self, Params, Purpose, cost};
use crate::trace::record::Backend;

/// The value of a lesson that says how many parameters its model has: a lesson with it is about the costs of a model.
const PARAMETERS: &str = "parameters_formula";

/// The value for the model FLOP utilization.
const MFU: &str = "mfu_formula";

/// The costs of a step.
#[derive(Debug, Serialize)]
pub struct Bill {
    pub lesson: String,
    pub program: String,
    /// The model's parameters.
    pub parameters: f64,
    /// Floating-point operations of a step, those that are done again included.
    pub flops: f64,
    /// Bytes of all buffers.
    pub peak_bytes: u64,
    /// The buffers, the largest first.
    pub tensors: Vec<Tensor>,
    /// The device that the rest is about.
    pub device: String,
    /// Bytes of its memory; null if that is not known.
    pub memory_bytes: Option<u64>,
    /// Other values of parameters with few choices, if the buffers then take fewer bytes.
    pub switches: Vec<Switch>,
    /// The predicted time of a step, in seconds; null if the device's rates are not known.
    pub seconds: Option<f64>,
    /// Whether the time is predicted from a trace. Otherwise it is the least that the device's rates allow.
    pub traced: bool,
    /// The lesson's model FLOP utilization in that time, over the device's peak for 32-bit numbers.
    pub mfu: Option<f64>,
}

/// A buffer of a step.
#[derive(Debug, Serialize)]
pub struct Tensor {
    pub name: String,
    pub bytes: u64,
    /// The first pass that touches it; null if it is there before the step.
    pub from: Option<String>,
    /// The last pass that touches it; null if it is kept for the next step.
    pub to: Option<String>,
}

/// A parameter's other value, and the bytes of all buffers with it.
#[derive(Debug, Serialize)]
pub struct Switch {
    pub parameter: String,
    pub value: f64,
    pub peak_bytes: u64,
}

/// The lesson of a pack that is about the costs of a model.
///
/// # Errors
/// A pack without one.
pub fn lesson(pack: &Pack) -> Result<&Lesson, Diagnostic> {
    let found = pack.lessons.iter().find(|lesson| lesson.values.iter().any(|value| value.id == PARAMETERS));
    found.map(|lesson| &**lesson).ok_or_else(|| {
        Diagnostic::error("no lesson of this pack is about the costs of a model")
            .hint(format!("one has a value `{PARAMETERS}`"))
    })
}

/// The costs of a step of a lesson's first program at some parameters.
///
/// # Errors
/// Parameters that the program does not take.
pub fn bill(
    lesson: &Lesson,
    params: &Params,
    chosen: &Chosen<'_>,
    devices: &Devices,
    cancel: &AtomicBool,
) -> Result<Bill, Vec<Diagnostic>> {
    let program = lesson.programs.iter().find(|program| !program.alone);
    let program = program.ok_or_else(|| vec![Diagnostic::error(format!("`{}` has no program", lesson.id))])?;
    let variant = Variant::plain(&program.id);
    if let Some((_, unmet)) = lesson.unmet(&variant, params) {
        return Err(vec![Diagnostic::error(format!("not with these settings: {}", unmet.text))]);
    }
    let job = jobs::build(lesson, &variant, params, &Purpose { check: false, ..purpose(Backend::Simt, 1, true) })?;
    let env = Env::fixed(&lesson.params, &lesson.values, params);
    let parameters = lesson.values.iter().find(|value| value.id == PARAMETERS);
    let parameters = parameters.and_then(|value| env.eval(&value.expr).ok()).unwrap_or(f64::NAN);
    let round = jobs::round::passes(&job);
    let flops = round.iter().map(|place| job.passes[*place].work.flops).sum();
    let figures = &chosen.spec.figures;
    let (seconds, traced) = match time(lesson, &variant, params, (&job, &round), chosen, devices, cancel) {
        Some(seconds) => (Some(seconds), true),
        None => (round.iter().map(|place| least_s(chosen.spec, job.passes[*place].work)).sum(), false),
    };
    Ok(Bill {
        lesson: lesson.id.clone(),
        program: program.id.clone(),
        parameters,
        flops,
        peak_bytes: job.footprint(),
        tensors: tensors(&job, &round),
        device: chosen.spec.name.clone(),
        memory_bytes: figures.dram_bytes(),
        switches: switches(lesson, &variant, params, job.footprint()),
        seconds,
        traced,
        mfu: seconds.zip(figures.fp32_flops_per_s()).and_then(|(seconds, peak)| {
            let mut results = Results::default();
            #[expect(clippy::cast_precision_loss, reason = "a count of rounds")]
            results.insert(&program.id, "time", seconds * jobs::round::rounds(&job) as f64);
            results.insert(DEVICE, "fma", peak);
            let value = lesson.values.iter().find(|value| value.id == MFU)?;
            Env::new(lesson, params, &results).eval(&value.expr).ok()
        }),
    })
}

/// The time of a round by a trace of the program; None for one that is too large to be traced.
fn time(
    lesson: &Lesson,
    variant: &Variant,
    params: &Params,
    (job, round): (&Job, &[usize]),
    chosen: &Chosen<'_>,
    devices: &Devices,
    cancel: &AtomicBool,
) -> Option<f64> {
    if cost::is_large(job) {
        return None;
    }
    let mut purpose = Purpose { check: false, ..purpose(Backend::Simt, 1, true) };
    if let Some(spec) = &mut purpose.trace {
        (spec.races, spec.caches) = (false, model::caches(chosen.spec, false));
    }
    let runner = Runner { devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel };
    let done = runner.program(variant, params).ok()?;
    let whole = whole((&done.job, &done.record), None, false, chosen).ok()?;
    let time = |place: &usize| {
        let pass = whole.passes.iter().find(|pass| pass.id == job.passes[*place].id)?;
        #[expect(clippy::cast_precision_loss, reason = "a count of launches")]
        Some(pass.point_s? / pass.launches as f64)
    };
    Some(round.iter().filter_map(time).sum())
}

/// The buffers, with the passes of a round from the first to the last that touch them.
fn tensors(job: &Job, round: &[usize]) -> Vec<Tensor> {
    let touches = |place: usize, buffer: usize| job.passes[place].touched().any(|(of, _)| of == buffer);
    let tensor = |(i, buffer): (usize, &crate::job::BufferSpec)| {
        let mut of = round.iter().filter(|place| touches(**place, i));
        let first = of.next();
        let name = |place: Option<&usize>| place.map(|place| job.passes[*place].id.clone());
        // A buffer with contents before the first step is kept from step to step.
        let (from, to) = if buffer.is_poison() { (name(first), name(of.next_back().or(first))) } else { (None, None) };
        Tensor { name: buffer.name.clone(), bytes: buffer.bytes(), from, to }
    };
    let mut all: Vec<Tensor> = job.buffers.iter().enumerate().map(tensor).collect();
    all.sort_by_key(|tensor| std::cmp::Reverse(tensor.bytes));
    all
}

fn switches(lesson: &Lesson, variant: &Variant, params: &Params, own: u64) -> Vec<Switch> {
    let choices = lesson.params.iter().filter_map(|param| match &param.domain {
        Domain::Choice(values) => Some(values.iter().map(move |value| (param.id.clone(), *value))),
        Domain::Range { .. } | Domain::PowersOfTwo { .. } => None,
    });
    let bytes = |(parameter, value): (String, f64)| {
        let other = jobs::sketch(lesson, variant, &jobs::with(params, &[(parameter.clone(), value)]))?;
        Some(Switch { parameter, value, peak_bytes: other.footprint() })
    };
    choices.flatten().filter_map(bytes).filter(|switch| switch.peak_bytes < own).collect()
}
