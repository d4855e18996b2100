//! Rows with their names on the left: how many find room, and where each is.

use super::frame::{Anchor, Frame};
use super::palette::Ink;
use super::text;

/// Space around the picture, and between a name and its row.
const MARGIN: f32 = 16.0;
const GAP: f32 = 12.0;
/// The share of a row's pitch that the row itself takes.
const ROW: f32 = 0.7;

/// Rows of a picture.
pub(super) struct NamedRows<'a> {
    each: &'a str,
    top: f32,
    pitch: f32,
    /// Rows that are drawn; there may be more.
    pub(super) shown: usize,
    /// Where rows begin.
    pub(super) left: f32,
}

impl<'a> NamedRows<'a> {
    /// As many of `count` rows as fit between `top` and `bottom`, each with a pitch between its least and its most; `each` is the name of one.
    pub(super) fn new(each: &'a str, count: usize, [top, bottom]: [f32; 2], [least, most]: [f32; 2]) -> Self {
        let room = bottom - top;
        let shown = count.min(((room / least) as usize).max(1));
        let pitch = (room / shown.max(1) as f32).clamp(least, most);
        let widest = text::width(&format!("{each} {}", shown.max(1) - 1), 13.0, false);
        Self { each, top, pitch, shown, left: MARGIN + widest + GAP }
    }

    /// The top of a row, and its height.
    pub(super) fn place(&self, row: usize) -> [f32; 2] {
        [self.top + self.pitch * row as f32, self.pitch * ROW]
    }

    /// Where the last row ends.
    pub(super) fn bottom(&self) -> f32 {
        self.top + self.pitch * (self.shown.max(1) - 1) as f32 + self.pitch * ROW
    }

    /// Draws the names.
    pub(super) fn name(&self, frame: &mut Frame) {
        for row in 0..self.shown {
            let [y, high] = self.place(row);
            let at = [self.left - GAP, y + high / 2.0];
            frame.text(at, 13.0, Anchor::End, Ink::Text, format!("{} {row}", self.each));
        }
    }
}
