//! Pictures of kernels that have no trace.

use std::sync::Arc;

use super::{Input, STAGE};
use crate::lesson::{Kernel, SceneKind, Step};
use crate::notes::NoteBlock;
use crate::scene::roofline::Roofline;
use crate::scene::stage::{Painter, StageView};
use crate::scene::svg;
use crate::scene::waves::Spread;
use crate::session::jobs::{self, Params};
use crate::session::{model, staged};

/// How the grid of a step's kernel spreads over the modelled device, without a trace.
pub(super) fn spread(input: &Input, step: &Step, params: &Params, place: usize) -> Option<Spread> {
    let lesson = &input.setting.lesson;
    let chosen = model::pick(&input.models, input.model.as_deref(), &input.device)?;
    let launch = model::launch(&jobs::sketch(lesson, &step.variant, params)?, place)?;
    let kernel = lesson.launched(&step.variant).get(place).copied().flatten()?;
    staged::spread(&chosen, &launch, kernel.cuda_only().is_some_and(|only| only.persistent))
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
