//! A note's roofline: the kernels of a ladder under the device's ceilings.

use std::collections::BTreeMap;

use super::Builder;
use crate::figures::Roofline;
use crate::lesson::{Kernel, Variant};
use crate::session::jobs::Params;
use crate::session::run::Done;
use crate::session::show::staged::{self, Known};

impl Builder<'_> {
    /// The roofline of a ladder's kernels, tracing all that can be traced.
    pub(super) fn roofline(&mut self, kernel: &Kernel, params: &Params, grid: Option<&Done>) -> Roofline {
        let input = self.input;
        let lesson = &input.setting.lesson;
        let (mut bytes, mut medians_s) = (BTreeMap::new(), BTreeMap::new());
        // Kernels that run only as part of a program have no run of their own.
        for rung in staged::rungs(lesson, kernel).filter(|rung| lesson.program(&rung.id).is_some()) {
            let variant = Variant::plain(&rung.id);
            medians_s.extend(self.timing(&variant, 0, params).map(|timing| (rung.id.as_str(), timing.median_s)));
            let known = grid.filter(|done| done.record.program == rung.id).and_then(|done| done.record.total());
            let fresh = |builder: &mut Self| builder.trace(&variant, params, builder.spec())?.record.total();
            let traced = known.or_else(|| rung.cuda_only().is_none().then(|| fresh(self)).flatten());
            bytes.extend(traced.map(|trace| (rung.id.as_str(), staged::SECTOR * trace.global_sectors())));
        }
        let needs = grid.map(|done| done.record.work);
        let known = Known {
            lesson,
            params,
            device: &input.device,
            ceilings: input.ceilings,
            models: &input.models,
            model: input.model.as_deref(),
            recordings: &input.recordings,
            recording: &input.recording,
            sweeps: &input.sweeps,
            bytes,
            medians_s,
        };
        known.roofline(kernel, needs)
    }
}
