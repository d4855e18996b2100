//! A note's pictures that are not drawn from a trace: what buffers hold, and kernels that the tracer does not run.

use std::sync::Arc;

use super::{Builder, Input, STAGE};
use crate::lesson::{Kernel, SceneKind, Step};
use crate::notes::NoteBlock;
use crate::scene::roofline::Roofline;
use crate::scene::stage::{Painter, StageView};
use crate::scene::svg;
use crate::scene::waves::Spread;
use crate::session::content::Opening;
use crate::session::jobs::{self, Params, Purpose};
use crate::session::run::{self, Runner};
use crate::session::setting::Setting;
use crate::session::{model, staged};
use crate::trace::record::Backend;

/// How the grid of a step's kernel spreads over the modelled device, without a trace.
pub(super) fn spread(input: &Input, step: &Step, params: &Params, place: usize) -> Option<Spread> {
    let lesson = &input.setting.lesson;
    let chosen = model::pick(&input.models, input.model.as_deref(), &input.device)?;
    let launch = model::launch(&jobs::sketch(lesson, &step.variant, params)?, place)?;
    let kernel = lesson.launched(&step.variant).get(place).copied().flatten()?;
    staged::spread(&chosen, &launch, kernel.cuda_only().is_some_and(|only| only.persistent))
}

impl Builder<'_> {
    /// The buffer that a step shows, after the launch of the pass that is on its stage.
    pub(super) fn contents(&mut self, step: &Step, params: &Params, launches: u64) -> Option<NoteBlock> {
        let Setting { lesson, seed, .. } = &self.input.setting;
        let purpose = Purpose { check: false, trace: None, ..run::purpose(Backend::Simt, *seed, true) };
        let runner =
            Runner { devices: self.devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel: self.cancel };
        let job = jobs::build(lesson, &step.variant, params, &purpose);
        let opening =
            job.and_then(|job| Opening::of((lesson, step, params), job, Some(launches), |job| runner.job(job)));
        let opening = opening.map_err(|mut problems| self.problems.append(&mut problems)).ok()?;
        let (contents, nothing) = (opening.contents(), Arc::default());
        let view = StageView { contents: Some(&contents), ..StageView::still(SceneKind::Contents, &nothing, STAGE) };
        let frame = Painter::default().frame(&view);
        Some(NoteBlock::Figure {
            id: format!("{}-stage", step.id),
            caption: format!("{} {}.", contents.buffer, contents.when),
            alt: frame.alt.clone(),
            svg: svg::adaptive(&frame),
        })
    }
}

/// The picture of a kernel without a trace, where its step shows one that needs none.
pub(super) fn picture(
    step: &Step,
    kernel: &Kernel,
    spread: Option<&Spread>,
    roofline: Option<&Roofline>,
) -> Option<NoteBlock> {
    let ring = kernel.cuda_only()?.ring.as_ref();
    match step.scene {
        SceneKind::Ring => ring.map(drop),
        SceneKind::Waves => spread.map(drop),
        SceneKind::Roofline => roofline.map(drop),
        _ => None,
    }?;
    let nothing = Arc::default();
    let view = StageView { ring, spread, at: Some(step.at), roofline, ..StageView::still(step.scene, &nothing, STAGE) };
    let frame = Painter::default().frame(&view);
    Some(NoteBlock::Figure {
        id: format!("{}-stage", step.id),
        caption: format!("{}: {}.", kernel.title, step.scene.scene().about),
        alt: frame.alt.clone(),
        svg: svg::adaptive(&frame),
    })
}
