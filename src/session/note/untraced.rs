//! Figures of kernels that the tracer does not run.

use super::Input;
use crate::figures::{self, Given, Spread};
use crate::lesson::{Kernel, Lesson, Step};
use crate::session::jobs::{self, Params};
use crate::session::run::model;
use crate::session::show::inline::{self, Answered};
use crate::session::show::staged;

/// How the grid of a step's kernel spreads over the modelled device, without a trace.
pub(super) fn spread(input: &Input, step: &Step, params: &Params, place: usize) -> Option<Spread> {
    let lesson = &input.setting.lesson;
    let chosen = model::pick(&input.models, input.model.as_deref(), &input.device)?;
    let launch = model::launch(&jobs::sketch(lesson, &step.variant, params)?, place)?;
    let kernel = lesson.launched(&step.variant).get(place).copied().flatten()?;
    staged::spread(&chosen, &launch, kernel.cuda_only().is_some_and(|only| only.persistent))
}

/// The step's figure, if it needs no trace.
pub(super) fn answer(lesson: &Lesson, step: &Step, params: &Params, kernel: &Kernel) -> Option<Answered> {
    let figure = figures::find(&step.figure.name)?;
    let asks = inline::asks(lesson, step, params)?;
    let ring = kernel.cuda_only().and_then(|only| only.ring.clone());
    (!asks.is_traced()).then(|| Answered {
        figure,
        asks,
        given: Given { ring, ..Given::default() },
        ticks: 0,
        first: 0,
    })
}
