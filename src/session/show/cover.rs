//! A lesson's picture on the start page: one of its steps, as its stage opens.

use std::sync::Arc;

use super::source::Staged;
use super::stage::{Drawing, Stage};
use super::staged::Sources;
use crate::figures::{Figure, Kept, Results};
use crate::job::{Language, TraceSpec};
use crate::lesson::{Lesson, Picture};
use crate::session::ask::{At, Store};
use crate::session::jobs;
use crate::session::jobs::setting::Setting;

/// The size of a picture, in points, in which it asks for its results.
const SIZE: [f32; 2] = [640.0, 360.0];

/// A lesson's picture.
pub struct Cover {
    /// The figure.
    pub figure: &'static dyn Figure,
    /// The figure's arguments.
    pub picture: Picture,
    /// The results that it is drawn from.
    pub results: Results<'static>,
    /// Ticks of its clock.
    pub ticks: usize,
    /// The number of ticks before the first one that shows something.
    pub empty: usize,
    /// The tick that the picture begins with, among those.
    pub first: usize,
}

/// The picture of the step that asks to be the lesson's cover, or of its first, as far as the store has its results.
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
    let staged = Staged { stage, store, sources };
    let drawing = Drawing::of(&staged)?;
    let (ticks, first) = drawing.opening(step);
    let empty = drawing.empty_ticks();
    // All that is drawn later is asked for now.
    let _ = drawing.figure.draw(&drawing.view(SIZE, 0.0), &mut Kept::default());
    let Drawing { figure, results, .. } = drawing;
    Some(Cover { figure, picture: step.figure.clone(), results: results.kept(), ticks, empty, first })
}
