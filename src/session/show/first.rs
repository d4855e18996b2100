//! Where a step begins among the events of a warp.

use crate::trace::{EventKind, Timeline};

/// The place among `events` of what a step wants seen first: the first access on the source line that holds `watch`, or the first event of it
/// where it accesses nothing, such as a branch; else the costliest access, the first of equals; 0 where nothing is accessed. `at` is the share
/// of the record from which on it is looked for.
#[must_use]
pub fn first_to_see(timeline: &Timeline, events: &[usize], source: &str, watch: &str, at: f64) -> usize {
    let line =
        (1_u32..).zip(source.lines()).find(|(_, text)| !watch.is_empty() && text.contains(watch)).map(|(n, _)| n);
    let cost = |index: &usize| match timeline.events[*index].kind {
        EventKind::Access { cost, .. } => Some(cost),
        EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => None,
    };
    #[expect(clippy::cast_precision_loss, reason = "a workgroup has far fewer than 2^53 events")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of them")]
    let from = (events.len() as f64 * at) as usize;
    // From the share of the record that the step asks for on, else from its beginning.
    let first = |wanted: &dyn Fn(&usize) -> bool| {
        let late = events.iter().skip(from).position(wanted).map(|i| i + from);
        late.or_else(|| events.iter().position(wanted))
    };
    let on_line = |i: &usize| Some(timeline.events[*i].line) == line;
    let watched = first(&|i| cost(i).is_some() && on_line(i)).or_else(|| first(&on_line));
    let most = events.iter().filter_map(cost).max();
    watched.or_else(|| first(&|i| most.is_some() && cost(i) == most)).unwrap_or(0)
}
