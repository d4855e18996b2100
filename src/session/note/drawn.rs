//! Pictures of kernels that have no trace.

use std::sync::Arc;

use super::STAGE;
use crate::lesson::{Kernel, SceneKind, Step};
use crate::notes::NoteBlock;
use crate::scene::stage::{Painter, StageView};
use crate::scene::svg;

/// The ring of a kernel without a trace, where its step shows that.
pub(super) fn ring(step: &Step, kernel: &Kernel) -> Option<NoteBlock> {
    let ring = kernel.cuda_only()?.ring.as_ref().filter(|_| step.scene == SceneKind::Ring)?;
    let nothing = Arc::default();
    let view = StageView { ring: Some(ring), ..StageView::still(SceneKind::Ring, &nothing, STAGE) };
    let frame = Painter::default().frame(&view);
    Some(NoteBlock::Figure {
        id: format!("{}-stage", step.id),
        caption: format!("{}: {}.", kernel.title, step.scene.scene().about),
        alt: frame.alt.clone(),
        svg: svg::adaptive(&frame),
    })
}
