//! A workgroup's events in step. A record has its warps one after the other from barrier to barrier; a GPU runs them side by side. In step,
//! each warp is as far after its last barrier as every other one is.

use crate::trace::{EventKind, Timeline};

/// The events of a workgroup in step.
#[derive(Clone, Debug, Default)]
pub(super) struct InStep {
    /// By event of the record, how many barriers its warp has passed, and how many events since; zeros of other workgroups' events.
    pub(super) at: Vec<(u32, u32)>,
    /// The workgroup's events, by their index in the record.
    pub(super) order: Vec<usize>,
}

impl InStep {
    pub(super) fn of(timeline: &Timeline, workgroup: u32) -> Self {
        let events = &timeline.events;
        let mut at = vec![(0, 0); events.len()];
        let mut warps = vec![(0, 0); timeline.warps_per_workgroup as usize];
        let mut order: Vec<usize> = (0..events.len()).filter(|i| events[*i].workgroup == workgroup).collect();
        for index in &order {
            let Some((phase, step)) = warps.get_mut(events[*index].warp as usize) else { continue };
            at[*index] = (*phase, *step);
            match events[*index].kind {
                EventKind::Barrier => (*phase, *step) = (*phase + 1, 0),
                EventKind::Access { .. } | EventKind::Branch { .. } | EventKind::Subgroup { .. } => *step += 1,
            }
        }
        order.sort_by_key(|index| at[*index]);
        Self { at, order }
    }
}
