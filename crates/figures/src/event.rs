//! One event of a warp as figures show it: its accesses, how far they have dropped, and what the pointer lights.

use std::sync::Arc;

use super::frame::{Anchor, Frame, Tag};
use super::kit::legend::{Key, legend};
use super::lanes::Lanes;
use super::mark::Mark;
use super::palette::{Hue, Ink};
use crate::trace::{AccessKind, Event, EventKind, Piece, Space, Timeline};

/// A moment of a timeline to show, and the size of the picture.
#[derive(Clone, Copy, Debug)]
pub struct WarpView<'a> {
    /// The record.
    pub timeline: &'a Arc<Timeline>,
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// Warp within the workgroup.
    pub warp: u32,
    /// Which of this warp's events, from 0, plus how far its animation is, 0 to 1. Past the last event is its end.
    pub position: f32,
    /// The item under the pointer; its counterparts are lit.
    pub hovered: Option<Tag>,
    /// Elements that are ringed wherever they are in the picture: one whose origin is shown, and its sources.
    pub marked: &'a [Mark],
    /// Whether accesses are seen to drop; otherwise each event shows its end state.
    pub motion: bool,
    /// Width and height in points; meant for 420×300 and more.
    pub size: [f32; 2],
}

/// One event, with all that its picture depends on.
pub(super) struct Moment<'a> {
    pub(super) timeline: &'a Timeline,
    /// The warp's events up to this one, by index in the timeline.
    pub(super) so_far: Vec<usize>,
    /// Index of the event in the timeline.
    pub(super) index: usize,
    pub(super) event: &'a Event,
    /// How far its lanes' accesses have dropped: 0 to 1, eased.
    pub(super) landed: f32,
    pub(super) hue: Hue,
    /// The lanes that belong to what the pointer is on.
    focus: Option<u64>,
}

impl Moment<'_> {
    /// Whether the pointer lights this lane; nothing where the pointer is on nothing in the picture.
    pub(super) fn is_lit(&self, lane: u32) -> Option<bool> {
        self.focus.map(|lanes| lanes >> lane & 1 == 1)
    }

    /// Whether the pointer lights any of these lanes.
    pub(super) fn any_lit(&self, lanes: u64) -> Option<bool> {
        self.focus.map(|lit| lit & lanes != 0)
    }

    /// Each active lane with the byte address it asks for.
    pub(super) fn accesses(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let lanes = (0..64).filter(|lane| self.event.mask >> lane & 1 == 1);
        lanes.zip(self.timeline.addresses(self.event).iter().copied())
    }

    /// The memory that the event accesses; None if it accesses none.
    pub(super) fn space(&self) -> Option<Space> {
        match self.event.kind {
            EventKind::Access { buffer, .. } => self.timeline.buffers.get(usize::from(buffer)).map(|b| b.space),
            EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => None,
        }
    }

    /// Words of 4 bytes that each lane asks for.
    pub(super) fn words_per_lane(&self) -> u32 {
        match self.event.kind {
            EventKind::Access { bytes_per_lane, .. } => u32::from(bytes_per_lane).div_ceil(4).max(1),
            EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => 0,
        }
    }
}

/// The places of the picture's parts.
pub(super) struct Stage {
    pub(super) lanes: Lanes,
    /// Left, top, width, height of what lies below the lanes, margins for labels included.
    pub(super) body: [f32; 4],
    /// The vertical middle of the legend; None if there is no room for one.
    pub(super) legend_y: Option<f32>,
    /// Whether there is room for a label right of the columns.
    pub(super) right_labels: bool,
}

impl Stage {
    /// The columns' left end, and the width from there to the end of the body.
    fn foot(&self) -> (f32, f32) {
        let left = self.lanes.columns.left();
        (left, self.body[0] + self.body[2] - left)
    }

    /// Draws the legend, if there is room for one.
    pub(super) fn legend(&self, frame: &mut Frame, keys: &[Key<'_>]) {
        let (left, room) = self.foot();
        if let Some(y) = self.legend_y {
            legend(frame, left, y, room, keys);
        }
    }

    /// Writes a remark in the legend's place, if there is room for it.
    pub(super) fn remark(&self, frame: &mut Frame, ink: Ink, text: &str) {
        let (left, room) = self.foot();
        if let Some(y) = self.legend_y {
            frame.fitted([left, y], 12.0, Anchor::Start, ink, room, text);
        }
    }
}

pub(super) fn moment<'a>(view: &WarpView<'a>, events: &[usize], ordinal: usize) -> Moment<'a> {
    let index = events[ordinal];
    let event = &view.timeline.events[index];
    let hue = match event.kind {
        EventKind::Access { access, buffer, .. } => {
            let space = view.timeline.buffers.get(usize::from(buffer)).map_or(Space::Global, |b| b.space);
            match (space, access) {
                (Space::Shared, _) => Hue::Shared,
                (Space::Global | Space::Uniform, AccessKind::Load) => Hue::Load,
                (Space::Global | Space::Uniform, AccessKind::Store) => Hue::Store,
                (Space::Global | Space::Uniform, AccessKind::Atomic) => Hue::Atomic,
            }
        }
        EventKind::Barrier => Hue::Idle,
        EventKind::Subgroup { .. } | EventKind::Branch { .. } => Hue::Accent,
    };
    let progress = if view.motion { (view.position - ordinal as f32).clamp(0.0, 1.0) } else { 1.0 };
    let mut moment = Moment {
        timeline: view.timeline,
        so_far: events[..=ordinal].to_vec(),
        index,
        event,
        landed: eased(progress),
        hue,
        focus: None,
    };
    moment.focus = view.hovered.and_then(|tag| lanes_of(&moment, tag));
    moment
}

/// The drop takes the first three quarters of an event's time, slow at both ends; the rest is for looking.
fn eased(progress: f32) -> f32 {
    let t = (progress / 0.75).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The active lanes that have to do with a thing; none where the thing is not of this event.
fn lanes_of(moment: &Moment<'_>, tag: Tag) -> Option<u64> {
    if let Tag::Lane(lane) = tag {
        return (lane < 64).then(|| 1 << lane);
    }
    let EventKind::Access { buffer: touched, .. } = moment.event.kind else { return None };
    let piece = piece_of(tag)?;
    let here = match piece {
        Piece::Word { buffer, .. } | Piece::Sector { buffer, .. } => buffer == touched,
        Piece::Bank(_) => moment.hue == Hue::Shared,
    };
    here.then(|| moment.timeline.lanes_touching(moment.event, piece))
}

/// The piece of memory that a tag names.
pub(super) fn piece_of(tag: Tag) -> Option<Piece> {
    match tag {
        Tag::Word { buffer, index } => Some(Piece::Word { buffer, index }),
        Tag::Sector { buffer, index } => Some(Piece::Sector { buffer, index }),
        Tag::Bank(bank) => Some(Piece::Bank(bank)),
        Tag::Lane(_) | Tag::Event(_) | Tag::Warp(_) | Tag::SourceLine(_) | Tag::Cell { .. } => None,
        Tag::Sm(_) | Tag::Wave(_) | Tag::Spot(_) | Tag::Pass(_) | Tag::Edge(_) => None,
    }
}
