//! Rings around marked words, and around the lanes that touch them: an element's origin, seen in the picture.

use super::event::Moment;
use super::frame::{Frame, Item, Tag};
use super::palette::Ink;
use crate::trace::{EventKind, Provenance, Timeline};

/// A word in the history of a value. Lists of marks must be sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// Index into the timeline's buffers.
    pub buffer: u16,
    /// Which word of it, from its start.
    pub index: u64,
    /// Warp within the workgroup, and its lane.
    pub lane: (u32, u32),
}

/// The marks of an origin, for timelines of its writer's workgroup: the element, and all that it came from or through.
#[must_use]
pub fn of(timeline: &Timeline, origin: &Provenance) -> Vec<Mark> {
    let Some(writer) = &origin.writer else { return Vec::new() };
    let numbered = |name: &str| timeline.buffers.iter().position(|b| b.of == name).and_then(|i| u16::try_from(i).ok());
    let element = (origin.buffer.as_str(), origin.byte / 4, (writer.warp, writer.lane));
    let loads = writer.loads.iter().chain(&writer.through).map(|l| (l.buffer.as_str(), l.byte / 4, (l.warp, l.lane)));
    let stores = writer.through.iter().filter_map(|l| {
        let by = l.stored_by?;
        Some((l.buffer.as_str(), l.byte / 4, (by.warp, by.lane)))
    });
    let all = std::iter::once(element).chain(loads).chain(stores);
    let mut marks: Vec<Mark> =
        all.filter_map(|(name, index, lane)| Some(Mark { buffer: numbered(name)?, index, lane })).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// Rings what is marked of a finished picture; `marks` are sorted.
pub(super) fn draw(frame: &mut Frame, moment: &Moment<'_>, marks: &[Mark]) {
    let EventKind::Access { buffer: touched, .. } = moment.event.kind else { return };
    let among = |index: u64, words: u64| {
        let from = marks.partition_point(|m| (m.buffer, m.index) < (touched, index));
        marks[from..].iter().take_while(move |m| m.buffer == touched && m.index < index + words)
    };
    let words = u64::from(moment.words_per_lane());
    let lanes = moment.accesses().filter(|(lane, address)| {
        among(u64::from(*address) / 4, words).any(|mark| mark.lane == (moment.event.warp, *lane))
    });
    let lanes = lanes.fold(0_u64, |lanes, (lane, _)| lanes | 1 << lane);
    let mut shown: Vec<u64> = frame.items.iter().filter_map(|item| word(item, touched)).collect();
    shown.sort_unstable();
    shown.dedup();
    let is_marked = |index: u64| {
        // A box covers as many words as a lane asks for, up to the next box.
        let next = shown.get(shown.partition_point(|i| *i <= index)).map_or(u64::MAX, |next| next - index);
        among(index, words.min(next)).next().is_some()
    };
    let ring = |item: &Item| match item {
        // A lane that drops has its tag on the falling box, too, which has no edge.
        Item::Rect { rect, stroke: Some(_), tag: Some(Tag::Lane(lane)), .. } => {
            (lanes >> lane & 1 == 1).then_some(*rect)
        }
        Item::Rect { rect, .. } => word(item, touched).filter(|index| is_marked(*index)).map(|_| *rect),
        _ => None,
    };
    let rings: Vec<[f32; 4]> = frame.items.iter().filter_map(ring).collect();
    for [x, y, w, h] in rings {
        let rect = [x - 1.0, y - 1.0, w + 2.0, h + 2.0];
        frame.items.push(Item::Rect { rect, radius: 3.0, fill: None, stroke: Some((Ink::Accent, 2.0)), tag: None });
    }
}

/// The word of a buffer that a box shows.
fn word(item: &Item, of: u16) -> Option<u64> {
    match item {
        Item::Rect { tag: Some(Tag::Word { buffer, index }), .. } if *buffer == of => Some(*index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::WarpView;
    use super::super::fixtures::Script;
    use super::super::warp::frame;
    use super::*;
    use crate::trace::AccessKind;

    fn rings(frame: &Frame) -> usize {
        let is = |item: &&Item| matches!(item, Item::Rect { fill: None, stroke: Some((Ink::Accent, _)), .. });
        frame.items.iter().filter(is).count()
    }

    #[test]
    fn a_marked_word_and_its_lane_are_ringed() {
        let quads = |i: u32| i * 16;
        let script = Script::new(32).load(|i| i * 4).load(|i| i * 8).access(0, AccessKind::Load, 16, 0xff, quads);
        let timeline = std::sync::Arc::new(script.0);
        let count = |event: f32, marks: &[Mark]| {
            let view = WarpView {
                timeline: &timeline,
                workgroup: 0,
                warp: 0,
                position: event + 0.99,
                hovered: None,
                marked: marks,
                motion: true,
                size: [1000.0, 560.0],
            };
            rings(&frame(&view))
        };
        let word = |index, lane| Mark { buffer: 0, index, lane: (0, lane) };
        assert_eq!(count(0.0, &[]), 0);
        assert_eq!(count(0.0, &[word(5, 5)]), 2, "the word and the lane");
        assert_eq!(count(1.0, &[word(5, 5)]), 1, "a word between lanes, in sight and not touched");
        assert_eq!(count(1.0, &[word(6, 3), word(8, 4)]), 4);
        assert_eq!(count(2.0, &[word(6, 1)]), 2, "part of a lane's four words");
        assert_eq!(count(0.0, &[Mark { buffer: 1, ..word(5, 5) }]), 0, "another buffer");
        assert_eq!(count(0.0, &[Mark { lane: (1, 5), ..word(5, 5) }]), 1, "another warp's lane");
    }
}
