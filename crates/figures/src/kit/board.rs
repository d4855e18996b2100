//! A picture's board: lines of text are taken off its top and bottom, and the picture has the room between them.

use super::legend::{self, Key};
use crate::frame::{Anchor, Frame};
use crate::palette::Ink;

/// Space left and right of a picture.
pub(crate) const MARGIN: f32 = 16.0;
/// Space above the first line and below the last one.
const PAD: f32 = 4.0;
/// Space between lines of text and the picture.
const GAP: f32 = 6.0;
/// Height of a line of small text, and of the title.
const LINE: f32 = 18.0;
const TITLE: f32 = 28.0;

/// A part of a picture, by its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Room {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Room {
    pub(crate) fn wide(&self) -> f32 {
        (self.right - self.left).max(1.0)
    }

    /// The same room with `above` points less at its top, and `below` at its bottom.
    pub(crate) fn within(self, [above, below]: [f32; 2]) -> Self {
        Self { top: self.top + above, bottom: self.bottom - below, ..self }
    }

    pub(crate) fn high(&self) -> f32 {
        (self.bottom - self.top).max(1.0)
    }
}

/// A picture under way.
pub(crate) struct Board {
    pub(crate) frame: Frame,
    free: Room,
}

impl Board {
    pub(crate) fn new(size: [f32; 2]) -> Self {
        let [width, height] = size;
        let free = Room { left: MARGIN, top: PAD, right: width - MARGIN, bottom: height - PAD };
        Self { frame: Frame::new(size), free }
    }

    /// The figure's own title; below a lesson's title it is of second rank.
    pub(crate) fn title(&mut self, below_another: bool, words: &str) {
        let (size, ink) = if below_another { (13.0, Ink::Muted) } else { (18.0, Ink::Text) };
        self.above(TITLE, size, ink, words);
    }

    /// The statement of the picture, above it.
    pub(crate) fn headline(&mut self, words: &str) {
        self.above(LINE, 13.0, Ink::Text, words);
    }

    /// A line of second rank above the picture.
    pub(crate) fn caption(&mut self, words: &str) {
        self.above(LINE, 12.0, Ink::Muted, words);
    }

    /// A line of second rank below the picture, above the lines that it already has there.
    pub(crate) fn footer(&mut self, words: &str) {
        let at = [self.free.left, self.free.bottom - LINE / 2.0];
        self.frame.fitted(at, 12.0, Anchor::Start, Ink::Muted, self.free.wide(), words);
        self.free.bottom -= LINE;
    }

    /// A legend below the picture, in as many lines as it takes.
    pub(crate) fn legend(&mut self, keys: &[Key<'_>]) {
        for line in legend::lines(keys, self.free.wide()).into_iter().rev() {
            legend::legend(&mut self.frame, self.free.left, self.free.bottom - LINE / 2.0, self.free.wide(), line);
            self.free.bottom -= LINE;
        }
    }

    /// The room between the lines of text.
    pub(crate) fn room(&self) -> Room {
        Room { top: self.free.top + GAP, bottom: self.free.bottom - GAP, ..self.free }
    }

    /// The picture with its description.
    pub(crate) fn finish(self, alt: String) -> Frame {
        Frame { alt, ..self.frame }
    }

    fn above(&mut self, line: f32, size: f32, ink: Ink, words: &str) {
        let at = [self.free.left, self.free.top + line / 2.0];
        self.frame.fitted(at, size, Anchor::Start, ink, self.free.wide(), words);
        self.free.top += line;
    }
}
