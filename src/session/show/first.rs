//! The event of a warp's timeline that a step shows first.

use crate::trace::{EventKind, Timeline};

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
