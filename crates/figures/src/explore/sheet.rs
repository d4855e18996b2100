//! The sheet that an explorer's picture is drawn on, from the top downward, and how its numbers are written.

use super::super::frame::{Anchor, Frame};
use super::super::kit::Key;
use super::super::kit::legend;
use super::super::palette::{Hue, Ink};
use super::super::text;
use super::{Handle, Picture};

/// Height of a row of bars.
pub(super) const ROW: f32 = 24.0;
/// Height of a bar.
pub(super) const BAR: f32 = 16.0;
/// Height of a line of text.
pub(super) const LINE: f32 = 20.0;

/// A picture under way.
pub struct Sheet {
    pub(super) frame: Frame,
    pub(super) handles: Vec<Handle>,
    pub(super) cells: Vec<[f32; 4]>,
    /// Where the next part begins.
    pub(super) y: f32,
    pub(super) width: f32,
}

impl Sheet {
    pub(super) fn new(width: f32) -> Self {
        let width = width.floor().max(1.0);
        Self { frame: Frame::new([width, 0.0]), handles: Vec::new(), cells: Vec::new(), y: 0.0, width }
    }

    /// A line of text from the left edge; what does not fit goes on below.
    pub(super) fn line(&mut self, size: f32, ink: Ink, words: &str) {
        for line in text::wrap(words, size, self.width) {
            self.frame.text([0.0, self.y + LINE / 2.0], size, Anchor::Start, ink, line);
            self.y += LINE;
        }
    }

    /// The name of a column, at its left edge.
    pub(super) fn head(&mut self, x: f32, room: f32, words: &str) {
        self.frame.fitted([x, self.y + LINE / 2.0], 12.0, Anchor::Start, Ink::Muted, room, words);
    }

    /// The legend of the shades, from `left` on.
    pub(super) fn legend(&mut self, left: f32, keys: &[(Ink, &str)]) {
        let mut x = left;
        self.y += 4.0;
        for (ink, name) in keys {
            let wide = legend::wide(name);
            if x > left && x + wide > self.width {
                (x, self.y) = (left, self.y + LINE);
            }
            Key::new(*ink, name).edge(Ink::Faint).draw(&mut self.frame, [x, self.y + LINE / 2.0], wide, name);
            x += wide + 16.0;
        }
        self.y += LINE + 4.0;
    }

    /// Adds words to what the picture says to those who cannot see it.
    pub(super) fn say(&mut self, words: &str) {
        if !self.frame.alt.is_empty() {
            self.frame.alt.push(' ');
        }
        self.frame.alt.push_str(words);
    }

    /// A tick where `holds`, else a cross, in the line that begins at `y`.
    pub(super) fn mark(&mut self, x: f32, y: f32, holds: bool) {
        let (ink, y) = (if holds { Ink::Shared } else { Ink::Conflict }, y + LINE / 2.0);
        if holds {
            let (from, knee, to) = ([x + 1.0, y], [x + 5.0, y + 4.0], [x + 12.0, y - 5.0]);
            self.frame.line(from, knee, 2.0, ink, None);
            self.frame.line(knee, to, 2.0, ink, None);
        } else {
            self.frame.line([x + 1.0, y - 4.0], [x + 9.0, y + 4.0], 2.0, ink, None);
            self.frame.line([x + 1.0, y + 4.0], [x + 9.0, y - 4.0], 2.0, ink, None);
        }
    }

    pub(super) fn finish(mut self, words: String) -> Picture {
        self.frame.height = self.y.ceil();
        Picture { frame: self.frame, handles: self.handles, cells: self.cells, words }
    }
}

/// `value` with this many decimals and a real minus; never minus zero.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| matches!(b, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// At most three decimals, and no zeros after the last digit that says something.
pub(super) fn short(value: f64) -> String {
    let text = fixed(value, 3);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A small number by its power of ten.
pub(super) fn tiny(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}").replace('-', "−") }
}

/// The index as a subscript of a letter.
pub(super) fn sub(index: usize) -> String {
    index.to_string().bytes().filter_map(|digit| char::from_u32(0x2080 + u32::from(digit - b'0'))).collect()
}

/// A quantity from −1 to 1: blue above zero, orange below, none at zero. Never so strong that text on it cannot be read.
pub(super) fn diverging(share: f64) -> Ink {
    let percent = (share.abs().min(1.0) * f64::from(STRONGEST)).round() as u8;
    if share < 0.0 { Hue::Store.tint(percent) } else { Hue::Load.tint(percent) }
}

/// The strongest tint under text.
pub(super) const STRONGEST: u8 = 50;
