//! A lesson's picture on the start page: one of its steps, as its stage opens.

use std::sync::atomic::AtomicBool;

use super::inline::Inline;
use crate::figures::{Figure, Given};
use crate::lesson::{Lesson, Picture};
use crate::session::jobs;

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
    /// The tick that the picture begins with, among those.
    pub first: usize,
}

/// The picture of the step that asks to be the lesson's cover, or of its first; None if it cannot be traced.
#[must_use]
pub fn of(lesson: &Lesson, cancel: &AtomicBool) -> Option<Cover> {
    let step = lesson.steps.iter().find(|step| step.cover).or(lesson.steps.first())?;
    let params = jobs::with(&jobs::defaults(lesson), &step.set);
    let mut problems = Vec::new();
    let found = Inline { lesson, seed: 1, warp_width: 32, cancel }.answer(step, &params, None, &mut problems)?;
    Some(Cover {
        figure: found.figure,
        picture: step.figure.clone(),
        ticks: found.ticks,
        first: found.first,
        given: found.given,
    })
}
