//! The event of a warp's timeline that a step shows first.

use std::collections::BTreeSet;

use crate::trace::{Event, EventKind, Timeline};

/// The number of the first line that contains `watch`. None if `watch` is empty.
#[must_use]
pub fn watched_line(source: &str, watch: &str) -> Option<u32> {
    (1_u32..).zip(source.lines()).find(|(_, text)| !watch.is_empty() && text.contains(watch)).map(|(number, _)| number)
}

/// The index in `events` that a step shows first: on the source line that contains `watch`, the first access of the buffer that `watch`
/// begins with, else the line's first access, or its first event if it accesses nothing, such as a branch; else the costliest access, the
/// first of equals; 0 if nothing is accessed. The search starts at the share `at` of the record.
#[must_use]
pub fn first_to_see(timeline: &Timeline, events: &[usize], source: &str, watch: &str, at: f64) -> usize {
    let line = watched_line(source, watch);
    let cost = |index: &usize| match timeline.events[*index].kind {
        EventKind::Access { cost, .. } => Some(cost),
        EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => None,
    };
    #[expect(clippy::cast_precision_loss, reason = "a workgroup has far fewer than 2^53 events")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of them")]
    let from = (events.len() as f64 * at) as usize;
    // Searches from the step's share of the record on, else from the beginning.
    let first = |wanted: &dyn Fn(&usize) -> bool| {
        let late = events.iter().skip(from).position(wanted).map(|i| i + from);
        late.or_else(|| events.iter().position(wanted))
    };
    let on_line = |i: &usize| Some(timeline.events[*i].line) == line;
    let named = watch.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let of_named = |index: &usize| match timeline.events[*index].kind {
        EventKind::Access { buffer, .. } => timeline.buffers.get(usize::from(buffer)).is_some_and(|b| b.name == named),
        _ => false,
    };
    let watched = first(&|i| of_named(i) && on_line(i));
    let watched = watched.or_else(|| first(&|i| cost(i).is_some() && on_line(i))).or_else(|| first(&on_line));
    let most = events.iter().filter_map(cost).max();
    watched.or_else(|| first(&|i| most.is_some() && cost(i) == most)).unwrap_or(0)
}

/// The places of the events that a film plays, which opens at the event `first`: those of its line; if it is a branch, those that follow,
/// each line once for the same lanes, so that a loop's rounds are one.
#[must_use]
pub fn events_to_play(events: &[&Event], first: usize) -> Vec<usize> {
    let Some(opening) = events.get(first) else { return Vec::new() };
    let mut seen = BTreeSet::new();
    let is_branch = matches!(opening.kind, EventKind::Branch { .. });
    let mut is_played = |(place, event): &(usize, &&Event)| match is_branch {
        true => *place >= first && seen.insert((event.line, event.mask)),
        false => event.line == opening.line,
    };
    events.iter().enumerate().filter(|at| is_played(at)).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::AccessKind;

    #[test]
    fn a_film_plays_its_line_or_what_follows_a_branch() {
        let access =
            || EventKind::Access { access: AccessKind::Load, buffer: 0, bytes_per_lane: 4, first_address: 0, cost: 1 };
        let branch = EventKind::Branch { taken: 1 };
        let event = |line, mask, kind| Event { workgroup: 0, warp: 0, line, mask, kind };
        let loads = [event(1, 3, access()), event(2, 3, access()), event(1, 3, access())];
        assert_eq!(events_to_play(&loads.iter().collect::<Vec<_>>(), 2), [0, 2]);
        let sides = [
            event(1, 3, access()),
            event(2, 3, branch),
            event(3, 1, access()),
            event(3, 1, access()),
            event(3, 2, access()),
        ];
        assert_eq!(events_to_play(&sides.iter().collect::<Vec<_>>(), 1), [1, 2, 4]);
        assert!(events_to_play(&[], 0).is_empty());
    }
}
