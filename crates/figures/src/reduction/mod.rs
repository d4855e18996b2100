//! The picture of a reduction: level below level, how a workgroup's lanes combine their values, and where a warp is in it.

mod draw;
mod tree;

use super::figure::{Card, Clock, Figure, Kept, View};
use super::frame::{Frame, Tag};
use super::message::message;
use super::results::Missing;
use crate::trace::{EventKind, Timeline};
use std::sync::Arc;

pub use tree::Tree;

/// A moment of a timeline to show, and the size of the picture.
#[derive(Clone, Copy, Debug)]
pub struct ReductionView<'a> {
    /// The record.
    pub timeline: &'a Timeline,
    /// The workgroup's tree, made from the same record.
    pub tree: &'a Tree,
    /// Warp within the workgroup, whose events the position counts.
    pub warp: u32,
    /// Which of this warp's events, from 0, plus how far its animation is, 0 to 1. Past the last event is its end.
    pub position: f32,
    /// The item under the pointer; its counterparts are lit.
    pub hovered: Option<Tag>,
    /// Whether values are seen to move; otherwise each event shows its end state.
    pub motion: bool,
    /// Width and height in points; meant for 420×300 and more.
    pub size: [f32; 2],
}

/// Where the warp is.
#[derive(Clone, Copy)]
struct Now {
    /// Its event, by the index in the timeline.
    event: usize,
    /// Barriers that it has passed.
    round: u32,
    /// The level of what it did last in the tree.
    level: usize,
    /// How far the event is, 0 to 1.
    share: f32,
}

/// The message for a kernel whose lanes combine nothing.
const HELP: &str = "Where a workgroup's lanes combine their values, through workgroup memory or by subgroup operations, the tree of it \
                    appears here.";

/// The picture of the view's moment.
#[must_use]
pub fn frame(view: &ReductionView<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    match now(view) {
        Some(now) if !view.tree.is_empty() => draw::draw(&mut frame, view, now),
        _ => message(&mut frame, "Nothing is combined here", HELP),
    }
    frame
}

fn now(view: &ReductionView<'_>) -> Option<Now> {
    let events: Vec<usize> = view.timeline.of_warp(view.tree.workgroup, view.warp).collect();
    let ordinal = (view.position.max(0.0) as usize).min(events.len().checked_sub(1)?);
    let event = events[ordinal];
    let before = &events[..ordinal];
    let barriers = before.iter().filter(|i| view.timeline.events[**i].kind == EventKind::Barrier).count();
    let level = events[..=ordinal].iter().filter_map(|i| view.tree.places.get(i)).map(|(level, _)| *level).max();
    let share = if view.motion { (view.position - ordinal as f32).clamp(0.0, 1.0) } else { 1.0 };
    let round = u32::try_from(barriers).unwrap_or(u32::MAX);
    Some(Now { event, round, level: level.unwrap_or(0), share })
}

static CARD: Card = Card {
    name: "Reduction",
    tab: "Reduction",
    help: "How the lanes of a workgroup combine their values, level by level",
    about: "how the lanes of workgroup 0 combine their values",
    clock: Clock::Events,
    fits: |facts| facts.meets && !facts.matrices,
    needs: "show a kernel whose lanes meet, at barriers or by subgroup operations, and that has no matrices",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, kept: &mut Kept) -> Result<Frame, Missing> {
        let known: &mut Option<(Arc<Timeline>, Tree)> = kept.own();
        let View { workgroup, warp, position, hovered, motion, size, .. } = *view;
        let timeline = view.timeline()?;
        let same = known.take().filter(|(of, tree)| Arc::ptr_eq(of, timeline) && tree.workgroup == workgroup);
        let fresh = || (timeline.clone(), Tree::new(timeline, workgroup));
        let (_, tree) = known.insert(same.unwrap_or_else(fresh));
        Ok(frame(&ReductionView { timeline, tree, warp, position, hovered, motion, size }))
    }
}

#[cfg(test)]
mod tests;
