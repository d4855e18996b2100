//! The kinds of events that a goal counts, and the costliest of a timeline.

use crate::trace::{AccessKind, EventKind, Space, Timeline};

/// A kind of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventClass {
    /// Accesses of buffers, or of workgroup memory.
    Accesses(Space, AccessKind),
    Barriers,
    /// Branches at which lanes disagree.
    Divergent,
}

impl EventClass {
    /// The kind that a result counts, such as `exercise.shared_load_conflicts`.
    #[must_use]
    pub fn of(result: &str) -> Option<Self> {
        let name = result.rsplit('.').next()?;
        let (space, rest) = match name.strip_prefix("shared_") {
            Some(rest) => (Space::Shared, rest),
            None => (Space::Global, name),
        };
        Some(match rest.split('_').next()? {
            "load" => Self::Accesses(space, AccessKind::Load),
            "store" => Self::Accesses(space, AccessKind::Store),
            "atomic" => Self::Accesses(space, AccessKind::Atomic),
            "barriers" => Self::Barriers,
            "divergent" => Self::Divergent,
            _ => return None,
        })
    }

    /// Its name in the plural.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accesses(Space::Shared, AccessKind::Load) => "loads from workgroup memory",
            Self::Accesses(Space::Shared, AccessKind::Store) => "stores to workgroup memory",
            Self::Accesses(Space::Shared, AccessKind::Atomic) => "atomics on workgroup memory",
            Self::Accesses(_, AccessKind::Load) => "loads from buffers",
            Self::Accesses(_, AccessKind::Store) => "stores to buffers",
            Self::Accesses(_, AccessKind::Atomic) => "atomics on buffers",
            Self::Barriers => "barriers",
            Self::Divergent => "divergent branches",
        }
    }

    /// The costliest such event of a workgroup, the first of equals: its warp, and its place among the warp's events.
    #[must_use]
    pub fn costliest(self, timeline: &Timeline, workgroup: u32) -> Option<(u32, usize)> {
        let cost = |index: usize| {
            let event = &timeline.events[index];
            match (self, event.kind) {
                (Self::Accesses(space, wanted), EventKind::Access { access, buffer, cost, .. }) => {
                    let of = timeline.buffers.get(usize::from(buffer))?;
                    (of.space == space && access == wanted).then_some(u32::from(cost))
                }
                (Self::Barriers, EventKind::Barrier) => Some(1),
                (Self::Divergent, EventKind::Branch { taken, .. }) => {
                    (taken & event.mask != 0 && taken & event.mask != event.mask).then_some(1)
                }
                _ => None,
            }
        };
        let of_warp = |warp| {
            let events = timeline.of_warp(workgroup, warp).enumerate();
            events.filter_map(move |(place, index)| Some((cost(index)?, (warp, place))))
        };
        let all = (0..timeline.warps_per_workgroup.max(1)).flat_map(of_warp);
        // Of equals `max_by_key` takes the last.
        all.collect::<Vec<_>>().into_iter().rev().max_by_key(|(cost, _)| *cost).map(|(_, at)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_says_what_it_counts() {
        let shared = EventClass::Accesses(Space::Shared, AccessKind::Load);
        assert_eq!(EventClass::of("exercise.shared_load_conflicts"), Some(shared));
        let stores = EventClass::Accesses(Space::Global, AccessKind::Store);
        assert_eq!(EventClass::of("exercise.mark.store_sectors"), Some(stores));
        assert_eq!(EventClass::of("exercise.barriers"), Some(EventClass::Barriers));
        assert_eq!(
            (EventClass::of("exercise.divergent_branches"), EventClass::of("exercise.warp_instructions")),
            (Some(EventClass::Divergent), None)
        );
    }
}
