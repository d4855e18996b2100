//! A lesson's picture on the start page: one of its steps, as its stage opens.

use std::sync::Arc;

use super::stage::{Answered, Stage};
use super::staged::Sources;
use crate::figures::{Figure, Given};
use crate::job::{Language, TraceSpec};
use crate::lesson::{Lesson, Picture};
use crate::session::ask::{At, Store};
use crate::session::jobs;
use crate::session::jobs::setting::Setting;

/// A lesson's picture.
pub struct Cover {
    /// The figure.
    pub figure: &'static dyn Figure,
    /// The figure's arguments.
    pub picture: Picture,
    /// The results that it is drawn from.
    pub given: Given,
    /// Ticks of its clock.
    pub ticks: usize,
    /// The number of ticks before the first one that shows something.
    pub empty: usize,
    /// The tick that the picture begins with, among those.
    pub first: usize,
}

/// The picture of the step that asks to be the lesson's cover, or of its first, as far as the store has its results; None until its program
/// is compiled.
#[must_use]
pub fn of(lesson: &Arc<Lesson>, store: &dyn Store, sources: &Sources<'_>) -> Option<Cover> {
    let step = lesson.steps.iter().find(|step| step.cover).or(lesson.steps.first())?;
    let setting = Arc::new(Setting {
        lesson: lesson.clone(),
        plain: lesson.clone(),
        params: jobs::begins(lesson, step),
        seed: 1,
        bounds_checks: true,
        warp_width: TraceSpec::default().warp_width,
        language: Language::default(),
    });
    let at = At::traced(&setting, &step.variant);
    let stage = Stage::of_step(&at, step)?;
    let answered = stage.answer(store, sources)?;
    let (ticks, first) = answered.opening(&stage, step);
    let empty = answered.empty_ticks();
    let Answered { figure, given, .. } = answered;
    Some(Cover { figure, picture: step.figure.clone(), given, ticks, empty, first })
}
