//! Whether the questions of a lesson have answers: their probes are run on the tracer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::base::diag::Diagnostic;
use crate::lesson::{AnswerKind, Lesson, Prediction, Probe};
use crate::session::jobs::{self, cost};
use crate::session::learn::predict::{Asked, Grade};
use crate::session::run::devices::Devices;
use crate::trace::record::Backend;

/// Questions that counts answer and that have no answer, or whose probes cannot be run. Questions about times, and
/// those about programs that the tracer does not run, are left out.
#[must_use]
pub fn question_problems(devices: &Devices, lesson: &Arc<Lesson>, cancel: &AtomicBool) -> Vec<Diagnostic> {
    let params = jobs::defaults(lesson);
    let counted = |asked: &&Prediction| {
        asked.answer().is_some_and(|decl| {
            let traced = |probe: &Probe| cost::is_traced(lesson, &probe.variant, &jobs::with(&params, &probe.set));
            decl.measured.is_none() && decl.probes.iter().all(traced)
        })
    };
    let problem = |prediction: &Prediction| {
        let asked = Asked { lesson, prediction, params: &params, seed: 1, bounds_checks: true };
        let error = |message: String| Diagnostic::error(message).in_place(&prediction.place);
        let answer = match asked.answer(devices, Backend::Simt, cancel) {
            Ok(answer) => answer,
            Err(problems) => return problems,
        };
        let has_answer = match &prediction.asks {
            AnswerKind::Choice(options, _) => matches!(answer.grade(options), Grade::Nearest(_)),
            AnswerKind::Number(..) | AnswerKind::Curve(_) => answer.traced.is_some_and(f64::is_finite),
        };
        let message = format!("the question `{}` has no answer at the lesson's defaults", prediction.id);
        let hint = "`traced` must be a number there, and above 0 for a choice";
        if has_answer { Vec::new() } else { vec![error(message).hint(hint)] }
    };
    lesson.predictions.iter().filter(counted).flat_map(problem).collect()
}
