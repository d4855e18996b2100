//! A lesson's picture on the start page: one of its steps, as its stage opens.

use std::sync::Arc;

use super::source::Staged;
use super::stage::{Drawing, Stage};
use super::staged::Sources;
use crate::figures::{Figure, Kept, Results, View};
use crate::job::{Language, TraceSpec};
use crate::lesson::{Lesson, Step};
use crate::session::ask::{At, Store};
use crate::session::jobs;
use crate::session::jobs::setting::Setting;

/// The size of a picture, in points, in which it asks for its results.
const SIZE: [f32; 2] = [640.0, 360.0];

/// A lesson's picture.
pub struct Cover {
    /// The figure.
    pub figure: &'static dyn Figure,
    at: At,
    step: Step,
    results: Results<'static>,
    /// Ticks of its clock.
    pub ticks: usize,
    /// The number of ticks before the first one that shows something.
    pub empty: usize,
    /// The tick that the picture begins with, among those.
    pub first: usize,
}

impl Cover {
    /// The view of the figure at a moment; None only if the lesson has no such pass any more.
    #[must_use]
    pub fn view(&self, size: [f32; 2], position: f32) -> Option<View<'_>> {
        let stage = Stage::of_step(&self.at, &self.step)?;
        Some(View { motion: true, ..stage.view(&self.results, size, position) })
    }
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
    let results = results.kept();
    Some(Cover { figure, step: step.clone(), results, ticks, empty, first, at })
}
