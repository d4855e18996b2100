//! A lesson's picture on the start page: one of its steps, traced as it opens.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::jobs::{self, Purpose};
use super::note::first_to_see;
use super::run;
use crate::gpu::simt;
use crate::job::Shown;
use crate::lesson::{Lesson, SceneKind};
use crate::trace::Timeline;
use crate::trace::record::Backend;

/// A lesson's picture.
pub struct Cover {
    /// The kind of picture.
    pub scene: SceneKind,
    /// The single accesses of the first workgroup.
    pub timeline: Arc<Timeline>,
    /// Events of its first warp.
    pub events: usize,
    /// The event that the picture begins with, among those.
    pub first: usize,
}

/// The picture of the step that asks to be the lesson's cover, or of its first; None where that cannot be traced.
#[must_use]
pub fn of(lesson: &Lesson) -> Option<Cover> {
    let step = lesson.steps.iter().find(|step| step.cover).or(lesson.steps.first())?;
    let place = lesson.program(&step.variant.program)?.place_of(&step.pass)?;
    let kernel = (*lesson.launched(&step.variant).get(place)?)?;
    let mut purpose = Purpose { check: false, ..run::purpose(Backend::Simt, 1, true) };
    if let Some(spec) = &mut purpose.trace {
        (spec.timeline_workgroups, spec.only_timeline_workgroups) = (vec![0], true);
        spec.shown = Shown { pass: place, launch: 0 };
    }
    let params = jobs::with(&jobs::defaults(lesson), &step.set);
    let job = jobs::build(lesson, &step.variant, &params, &purpose).ok()?;
    let mut record = simt::run(&job, &AtomicBool::new(false), &mut |_| {}).ok()?;
    let timeline = record.passes.get_mut(place)?.timeline.take()?;
    let events: Vec<usize> = timeline.of_warp(0, 0).collect();
    let first = first_to_see(&timeline, &events, kernel.source(), &step.watch, step.at);
    Some(Cover { scene: step.scene, events: events.len(), first, timeline: Arc::new(timeline) })
}
