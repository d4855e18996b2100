//! A card beside a picture: what happens, in lines from the top down, as many as there is height for.

use super::Key;
use crate::frame::{Anchor, Frame, Item};
use crate::palette::Ink;
use crate::text;

/// Space between the card's edge and what is on it.
const PAD: f32 = 16.0;

/// A card that lines are added to.
pub(crate) struct SideCard<'f> {
    frame: &'f mut Frame,
    /// The card's own item.
    ground: usize,
    left: f32,
    right: f32,
    top: f32,
    /// The middle of the next line.
    y: f32,
    bottom: f32,
}

impl<'f> SideCard<'f> {
    /// An empty card at most as large as `rect`: left, top, width, height.
    pub(crate) fn new(frame: &'f mut Frame, [x, y, w, h]: [f32; 4]) -> Self {
        let ground = frame.items.len();
        frame.fill([x, y, w, h], 8.0, Ink::Raised, None);
        Self { frame, ground, left: x + PAD, right: x + w - PAD, top: y, y: y + PAD + 8.0, bottom: y + h - 8.0 }
    }

    fn room(&self) -> f32 {
        self.right - self.left
    }

    /// Goes `by` points down from the line at hand, which is as it comes where it does not fit.
    fn line(&mut self, by: f32, draw: impl FnOnce(&mut Frame, f32)) {
        if self.y + 8.0 <= self.bottom {
            draw(self.frame, self.y);
            self.y += by;
        }
    }

    /// Draws a title: what the picture shows, with its colour.
    pub(crate) fn title(&mut self, ink: Option<Ink>, words: &str) {
        let indent = if ink.is_some() { 20.0 } else { 0.0 };
        let (left, words) = (self.left, text::fit(words, 16.0, false, self.room() - indent));
        self.line(20.0, |frame, y| {
            if let Some(ink) = ink {
                frame.fill([left, y - 6.0, 12.0, 12.0], 3.0, ink, None);
            }
            frame.text([left + indent, y], 16.0, Anchor::Start, Ink::Text, words);
        });
    }

    /// A sentence of second rank, in as many lines as it takes; left out if they do not all fit.
    pub(crate) fn says(&mut self, words: &str) {
        let left = self.left;
        let lines = text::wrap(words, 12.0, self.room());
        if self.y + 16.0 * lines.len() as f32 - 8.0 > self.bottom {
            return;
        }
        for words in lines {
            self.line(16.0, |frame, y| frame.text([left, y], 12.0, Anchor::Start, Ink::Muted, words));
        }
    }

    /// The heading of what follows.
    pub(crate) fn section(&mut self, name: &str) {
        self.y += 8.0;
        let (left, right) = (self.left, self.right);
        // A heading alone would say nothing.
        if self.y + 28.0 > self.bottom {
            self.y = self.bottom;
        }
        self.line(20.0, |frame, y| {
            frame.text([left, y], 12.0, Anchor::Start, Ink::Text, name);
            frame.line([left, y + 9.5], [right, y + 9.5], 1.0, Ink::Faint, None);
        });
    }

    /// A name and its value.
    pub(crate) fn row(&mut self, name: &str, value: &str) {
        let (left, right) = (self.left, self.right);
        let value = text::fit(value, 12.0, false, self.room());
        let name = text::fit(name, 12.0, false, self.room() - text::width(&value, 12.0, false) - 8.0);
        self.line(16.0, |frame, y| {
            if !name.is_empty() {
                frame.text([left, y], 12.0, Anchor::Start, Ink::Muted, name);
            }
            frame.text([right, y], 12.0, Anchor::End, Ink::Text, value);
        });
    }

    /// A legend, two entries a line.
    pub(crate) fn legend(&mut self, keys: &[Key]) {
        self.y += 8.0;
        let (left, half) = (self.left, (self.room() / 2.0).round());
        for pair in keys.chunks(2) {
            self.line(16.0, |frame, y| {
                for (i, key) in pair.iter().enumerate() {
                    key.draw(frame, [left + i as f32 * half, y], half - 3.0, key.long);
                }
            });
        }
    }

    /// The scale of a heat map, with `ticks` at even distances.
    pub(crate) fn scale(&mut self, ticks: &[String]) {
        const STEPS: u8 = 24;
        self.y += 8.0;
        let (left, room) = (self.left, self.room());
        let step = room / f32::from(STEPS);
        self.line(18.0, |frame, y| {
            for i in 0..STEPS {
                let (from, to) = (left + step * f32::from(i), left + step * f32::from(i + 1));
                let level = u8::try_from(u32::from(i) * 255 / u32::from(STEPS - 1)).unwrap_or(u8::MAX);
                frame.fill([from.round(), y - 6.0, to.round() - from.round(), 12.0], 0.0, Ink::Heat(level), None);
            }
        });
        self.line(20.0, |frame, y| {
            for (i, tick) in ticks.iter().enumerate() {
                let x = left + room * i as f32 / (ticks.len() as f32 - 1.0).max(1.0);
                let anchor = match i {
                    0 => Anchor::Start,
                    i if i + 1 == ticks.len() => Anchor::End,
                    _ => Anchor::Middle,
                };
                frame.text([x, y], 12.0, anchor, Ink::Muted, tick);
            }
        });
    }

    /// Lets the card end with what is on it.
    pub(crate) fn finish(self) {
        if let Some(Item::Rect { rect, .. }) = self.frame.items.get_mut(self.ground) {
            rect[3] = rect[3].min(self.y + 4.0 - self.top);
        }
    }
}
