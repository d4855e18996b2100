//! Rows below each other, with their names at the left, their notes at the right, and the number of those that have no place.

use super::board::{MARGIN, Room};
use crate::base::units::count;
use crate::frame::{Anchor, Frame, Tag};
use crate::palette::Ink;
use crate::plot::dashes;
use crate::text;

/// Space between a row and its name or note.
const GAP: f32 = 12.0;
/// The share of a row's pitch that the row itself takes.
const ROW: f32 = 0.7;
/// The most of the picture's width that names take, and notes.
const BESIDE: f32 = 0.36;

/// The places of rows.
pub(crate) struct Rows {
    pub(crate) left: f32,
    pub(crate) right: f32,
    top: f32,
    pitch: f32,
    count: usize,
    /// Rows that are drawn, from the first on.
    pub(crate) shown: usize,
}

impl Rows {
    /// Height of the line below the rows with its names.
    pub(crate) const ENDS: f32 = 20.0;

    /// As many of `count` rows as fit, with a pitch between the least and the most. Where not all fit, the last place is for a line that says
    /// so: at least two rows are hidden then, since a single one would fit in its place.
    pub(crate) fn new(room: Room, count: usize, pitch: [f32; 2]) -> Self {
        Self::capped(room, [count, usize::MAX], pitch)
    }

    /// The same, of at most `cap` rows.
    pub(crate) fn capped(room: Room, [count, cap]: [usize; 2], [least, most]: [f32; 2]) -> Self {
        let fits = ((room.high() / least) as usize).min(cap);
        let shown = if count <= fits { count } else { fits.max(2) - 1 };
        let mut rows = Self { left: room.left, right: room.right, top: room.top, pitch: most, count, shown };
        rows.pitch = (room.high() / rows.places().max(1) as f32).min(most);
        rows
    }

    /// Places of rows, and of the line that says how many are hidden.
    fn places(&self) -> usize {
        self.shown + usize::from(self.shown < self.count)
    }

    /// Boxes of this width from `left` on, in the middle of the room's height.
    pub(crate) fn boxes(room: Room, [left, wide]: [f32; 2], count: [usize; 2], pitch: [f32; 2]) -> Self {
        let rows = Self::capped(room, count, pitch);
        let spare = room.high() - rows.pitch * (rows.places() as f32 - 1.0 + ROW);
        Self { left, right: left + wide, top: room.top + spare / 2.0, ..rows }
    }

    /// Left, top, width and height of a row.
    pub(crate) fn rect(&self, row: usize) -> [f32; 4] {
        [self.left, self.top + self.pitch * row as f32, self.right - self.left, self.pitch * ROW]
    }

    /// The y of a row's middle.
    pub(crate) fn middle(&self, row: usize) -> f32 {
        self.top + self.pitch * (row as f32 + ROW / 2.0)
    }

    /// Where the last row ends.
    pub(crate) fn bottom(&self) -> f32 {
        self.top + self.pitch * (self.shown.max(1) as f32 - 1.0 + ROW)
    }

    /// The x at a share of the rows' width.
    pub(crate) fn along(&self, share: f32) -> f32 {
        self.left + (self.right - self.left) * share
    }

    /// Draws the rows' names, beside which the rows begin, and how many have no place; `each` is the name of one.
    pub(crate) fn names(&mut self, frame: &mut Frame, each: &str, name: impl Fn(usize) -> String) {
        let most = (self.right - self.left) * BESIDE;
        let names: Vec<String> = (0..self.shown).map(|row| text::fit(&name(row), 13.0, false, most)).collect();
        self.left += names.iter().map(|name| text::width(name, 13.0, false)).fold(0.0, f32::max) + GAP;
        for (row, name) in names.iter().enumerate() {
            frame.fitted([self.left - GAP, self.middle(row)], 13.0, Anchor::End, Ink::Text, most + 1.0, name);
        }
        self.more(frame, each);
    }

    /// Draws the rows' notes in a column beside the rows, which are as wide as that allows, and at most `most`.
    pub(crate) fn notes(&mut self, frame: &mut Frame, most: f32, note: impl Fn(usize) -> (Ink, String)) {
        let room = (self.right - self.left) * BESIDE;
        let notes: Vec<(Ink, String)> = (0..self.shown).map(note).collect();
        let widest = notes.iter().map(|(_, note)| text::width(note, 12.0, false)).fold(0.0, f32::max).min(room);
        self.right = (self.right - widest - GAP).min(self.left + most);
        for (row, (ink, note)) in notes.iter().enumerate() {
            frame.fitted([self.right + GAP, self.middle(row)], 12.0, Anchor::Start, *ink, widest + 1.0, note);
        }
    }

    /// Draws a row as a box with its name; `ink` is its colour, and that of the words on it.
    pub(crate) fn named(&self, frame: &mut Frame, row: usize, ink: Option<[Ink; 2]>, name: &str, tag: Option<Tag>) {
        let ([fill, words], edge) = ink.map_or(([Ink::Raised, Ink::Text], Ink::Faint), |ink| (ink, ink[0]));
        let rect = self.rect(row);
        frame.outline(rect, 4.0, Some(fill), edge, tag);
        let at = [rect[0] + rect[2] / 2.0, self.middle(row)];
        frame.fitted(at, 13.0, Anchor::Middle, words, rect[2] - 6.0, name);
    }

    /// Where the line of one of a box's parts leaves it at the right.
    pub(crate) fn exit(&self, row: usize, [part, parts]: [usize; 2]) -> [f32; 2] {
        let [x, y, wide, high] = self.rect(row);
        [x + wide, y + high * (part as f32 + 1.0) / (parts as f32 + 1.0)]
    }

    /// Draws a limit as a dashed line through the rows at `x`, with its name above them.
    pub(crate) fn limit(&self, frame: &mut Frame, x: f32, name: &str) {
        let y = self.top - 10.0;
        dashes(frame, [[x, y + 10.0], [x, self.bottom() + 4.0]], Ink::Conflict);
        let words = text::fit(name, 13.0, false, frame.width - 2.0 * MARGIN);
        let half = text::width(&words, 13.0, false) / 2.0;
        let middle = x.min(frame.width - MARGIN - half).max(MARGIN + half);
        frame.text([middle, y], 13.0, Anchor::Middle, Ink::Text, words);
    }

    /// Says how many rows have no place.
    pub(crate) fn more(&self, frame: &mut Frame, each: &str) {
        if self.shown < self.count {
            let words = format!("… and {} more {each}s", count((self.count - self.shown) as u64));
            let room = frame.width - MARGIN - self.left;
            frame.fitted([self.left, self.middle(self.shown)], 12.0, Anchor::Start, Ink::Muted, room, &words);
        }
    }

    /// A line below the rows, with the names of its ends; it takes [`Self::ENDS`] points of height.
    pub(crate) fn ends(&self, frame: &mut Frame, first: &str, last: &str) {
        let y = self.top + self.pitch * self.places() as f32;
        let (from, room) = ([self.left, y], (self.right - self.left) / 2.0);
        frame.line(from, [self.right, y], 1.0, Ink::Muted, None);
        frame.fitted([self.left, y + 10.0], 12.0, Anchor::Start, Ink::Muted, room, first);
        frame.fitted([self.right, y + 10.0], 12.0, Anchor::End, Ink::Muted, room, last);
    }
}
