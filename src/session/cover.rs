//! A lesson's picture on the start page: one of its steps, as its stage opens.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::content::Opening;
use super::jobs::{self, Purpose};
use super::note::first_to_see;
use super::run::{self, Done};
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
    /// The buffer that it shows; such a picture has no events.
    pub opening: Option<Opening>,
}

/// The picture of the step that asks to be the lesson's cover, or of its first; None where that cannot be traced.
#[must_use]
pub fn of(lesson: &Lesson, cancel: &AtomicBool) -> Option<Cover> {
    let step = lesson.steps.iter().find(|step| step.cover).or(lesson.steps.first())?;
    let place = lesson.program(&step.variant.program)?.place_of(&step.pass)?;
    let kernel = (*lesson.launched(&step.variant).get(place)?)?;
    let params = jobs::with(&jobs::defaults(lesson), &step.set);
    let purpose = Purpose { check: false, ..run::purpose(Backend::Simt, 1, true) };
    let run = |job| match simt::run(&job, cancel, &mut |_| {}) {
        Ok(record) => Ok(Done { job, record }),
        Err(problem) => Err(vec![problem]),
    };
    if step.scene == SceneKind::Contents {
        let job = jobs::build(lesson, &step.variant, &params, &Purpose { trace: None, ..purpose }).ok()?;
        let opening = Opening::of((lesson, step, &params), job, None, run).ok()?;
        return Some(Cover {
            scene: step.scene,
            timeline: Arc::default(),
            events: 0,
            first: 0,
            opening: Some(opening),
        });
    }
    let mut purpose = purpose;
    if let Some(spec) = &mut purpose.trace {
        (spec.timeline_workgroups, spec.only_timeline_workgroups) = (vec![0], true);
        spec.shown = Shown { pass: place, launch: step.launch.saturating_sub(1) };
    }
    let mut record = run(jobs::build(lesson, &step.variant, &params, &purpose).ok()?).ok()?.record;
    let timeline = record.passes.get_mut(place)?.timeline.take()?;
    let events: Vec<usize> = timeline.of_warp(0, 0).collect();
    let first = first_to_see(&timeline, &events, kernel.source(), &step.watch, step.at);
    Some(Cover { scene: step.scene, events: events.len(), first, timeline: Arc::new(timeline), opening: None })
}
