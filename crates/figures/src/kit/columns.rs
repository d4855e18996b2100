//! Columns beside each other: where the bar of each is, and names below them that keep apart.

use super::board::Room;
use crate::base::units::count;
use crate::frame::{Anchor, Frame, Tag};
use crate::palette::Ink;
use crate::text;

/// The share of a column's pitch that its bar takes.
const BAR: f32 = 0.72;

/// Height of the number above a bar, and of the name below.
const BESIDE: [f32; 2] = [18.0, 18.0];
/// The most that a bar and its gap are wide.
const PITCH: f32 = 96.0;

/// The places of columns.
pub(crate) struct Columns {
    left: f32,
    pitch: f32,
    count: usize,
}

impl Columns {
    /// Columns from the room's left edge on, with a pitch of at most `most`.
    pub(crate) fn new(room: Room, count: usize, most: f32) -> Self {
        Self { left: room.left, pitch: (room.wide() / count.max(1) as f32).min(most), count }
    }

    /// Draws counts as bars on one scale, each with its name below and a tag with its place; with their numbers above them where all of
    /// these have room.
    pub(crate) fn bars(frame: &mut Frame, room: Room, counts: &[u64], ink: Ink, name: impl Fn(usize) -> String) {
        let room = room.within(BESIDE);
        let columns = Self::new(room, counts.len(), PITCH);
        let most = counts.iter().copied().max().unwrap_or(0).max(1) as f32;
        let numbered = counts.iter().all(|found| columns.holds(&count(*found)));
        for (column, found) in counts.iter().enumerate() {
            let top = room.bottom - room.high() * *found as f32 / most;
            if *found > 0 {
                let tag = Some(Tag::Word { buffer: 0, index: column as u64 });
                frame.fill(columns.bar(column, top.min(room.bottom - 1.0), room.bottom), 2.0, ink, tag);
            }
            if numbered {
                columns.note(frame, column, top - 10.0, &count(*found));
            }
        }
        frame.line([room.left, room.bottom], [columns.right(), room.bottom], 1.0, Ink::Muted, None);
        columns.names(frame, room.bottom + 12.0, Ink::Text, name);
    }

    /// Where the last column ends.
    pub(crate) fn right(&self) -> f32 {
        self.left + self.pitch * self.count as f32
    }

    /// The x of a column's middle.
    pub(crate) fn middle(&self, column: usize) -> f32 {
        self.left + self.pitch * (column as f32 + 0.5)
    }

    /// The bar of a column from one height to another: left, top, width, height.
    pub(crate) fn bar(&self, column: usize, top: f32, bottom: f32) -> [f32; 4] {
        let wide = (self.pitch * BAR).max(1.0);
        [self.middle(column) - wide / 2.0, top, wide, bottom - top]
    }

    /// Whether a column is wide enough for words.
    pub(crate) fn holds(&self, words: &str) -> bool {
        text::width(words, 12.0, false) + 2.0 <= self.pitch
    }

    /// Draws words in the middle of a column where it is wide enough for them.
    pub(crate) fn note(&self, frame: &mut Frame, column: usize, y: f32, words: &str) {
        if self.holds(words) {
            frame.text([self.middle(column), y], 12.0, Anchor::Middle, Ink::Text, words);
        }
    }

    /// Draws the columns' names at a height: as many as keep apart, at even distances.
    pub(crate) fn names(&self, frame: &mut Frame, y: f32, ink: Ink, name: impl Fn(usize) -> String) {
        let names: Vec<String> = (0..self.count).map(name).collect();
        let widest = names.iter().map(|name| text::width(name, 12.0, false)).fold(0.0, f32::max);
        let every = (((widest + 8.0) / self.pitch).ceil().max(1.0) as usize).next_power_of_two();
        let mut free = f32::NEG_INFINITY;
        for (column, name) in names.iter().enumerate().step_by(every) {
            // A name that is wider than its column stays in the frame.
            let half = text::width(name, 12.0, false) / 2.0;
            let middle = self.middle(column).min(frame.width - half).max(half);
            if middle - half >= free {
                frame.fitted([middle, y], 12.0, Anchor::Middle, ink, f32::INFINITY, name);
                free = middle + half + 8.0;
            }
        }
    }
}
