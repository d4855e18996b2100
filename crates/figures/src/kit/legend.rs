//! Legends: a box in a colour, and its name.

use crate::frame::{Anchor, Frame};
use crate::palette::Ink;
use crate::text;

/// The side of an entry's box, and where its name begins.
const BOX: f32 = 12.0;
pub(crate) const INDENT: f32 = BOX + 6.0;
/// Space between two entries: the least and the most.
const GAPS: [f32; 2] = [6.0, 16.0];

/// One entry of a legend: its box, its name, and a shorter name for narrow pictures.
#[derive(Clone, Copy)]
pub(crate) struct Key<'n> {
    pub(crate) fill: Ink,
    edge: Ink,
    mark: Mark,
    pub(crate) long: &'n str,
    short: &'n str,
}

/// The box of an entry, beside its filling and its edge.
#[derive(Clone, Copy)]
enum Mark {
    Plain,
    /// Crossed out.
    Hatched,
    /// In parts of several colours.
    Parts([Ink; 4]),
}

/// Crosses out a box.
pub(crate) fn hatch(frame: &mut Frame, [x, y, w, h]: [f32; 4]) {
    let mut line = |from: [f32; 2], to: [f32; 2]| frame.line(from, to, 1.0, Ink::Panel, None);
    line([x, y + h], [x + w, y]);
    if w.min(h) >= 7.0 {
        line([x, y + h / 2.0], [x + w / 2.0, y]);
        line([x + w / 2.0, y + h], [x + w, y + h / 2.0]);
    }
}

impl<'n> Key<'n> {
    pub(crate) fn new(ink: Ink, name: &'n str) -> Self {
        Self { fill: ink, edge: ink, mark: Mark::Plain, long: name, short: name }
    }

    /// With its box crossed out.
    pub(crate) fn hatched(self) -> Self {
        Self { mark: Mark::Hatched, ..self }
    }

    /// With its box in several colours.
    pub(crate) fn parts(self, inks: [Ink; 4]) -> Self {
        Self { mark: Mark::Parts(inks), ..self }
    }

    /// With an edge of another colour.
    pub(crate) fn edge(self, edge: Ink) -> Self {
        Self { edge, ..self }
    }

    /// With a shorter name for narrow pictures.
    pub(crate) fn or(self, short: &'n str) -> Self {
        Self { short, ..self }
    }

    /// Draws the entry from `x` on, with as much of a name as `room` holds.
    pub(crate) fn draw(&self, frame: &mut Frame, [x, y]: [f32; 2], room: f32, name: &str) {
        let rect = [x, y - BOX / 2.0, BOX, BOX];
        match self.mark {
            Mark::Plain => frame.outline(rect, 2.0, Some(self.fill), self.edge, None),
            Mark::Hatched => {
                frame.fill(rect, 0.0, self.fill, None);
                hatch(frame, rect);
            }
            Mark::Parts(inks) => {
                for (part, ink) in (0_u8..).zip(inks) {
                    frame.fill([x + f32::from(part) * BOX / 4.0, rect[1], BOX / 4.0, BOX], 0.0, ink, None);
                }
            }
        }
        frame.fitted([x + INDENT, y], 12.0, Anchor::Start, Ink::Muted, room - INDENT + 1.0, name);
    }
}

/// The width of an entry with this name.
pub(crate) fn wide(name: &str) -> f32 {
    INDENT + text::width(name, 12.0, false)
}

/// Draws a legend in one line from `left`, at most `room` wide; names shorten, then gaps, then entries fall away, until it fits.
pub(crate) fn legend(frame: &mut Frame, left: f32, y: f32, room: f32, keys: &[Key<'_>]) {
    let gaps = keys.len().saturating_sub(1).max(1) as f32;
    let long = keys.iter().map(|key| wide(key.long)).sum::<f32>() + GAPS[1] * gaps <= room;
    let names: Vec<&str> = keys.iter().map(|key| if long { key.long } else { key.short }).collect();
    let gap = ((room - names.iter().map(|name| wide(name)).sum::<f32>()) / gaps).clamp(GAPS[0], GAPS[1]);
    let mut x = left;
    for (key, name) in keys.iter().zip(names) {
        // Where the gaps take up all that is left, the last entry ends at the edge but for rounding.
        if x + wide(name) > left + room + 0.1 {
            return;
        }
        key.draw(frame, [x, y], wide(name), name);
        x += wide(name) + gap;
    }
}

/// The entries in as many lines as their shorter names need.
pub(crate) fn lines<'k, 'n>(mut keys: &'k [Key<'n>], room: f32) -> Vec<&'k [Key<'n>]> {
    let mut lines = Vec::new();
    while !keys.is_empty() {
        let least = |n: usize| keys[..n].iter().map(|key| wide(key.short) + GAPS[0]).sum::<f32>() - GAPS[0];
        let fits = (1..=keys.len()).take_while(|n| least(*n) <= room).last().unwrap_or(1);
        let (line, rest) = keys.split_at(fits);
        lines.push(line);
        keys = rest;
    }
    lines
}

/// Draws a legend in a column from `left` and `top` down, if it fits into `room`: width and height.
pub(crate) fn legend_column(frame: &mut Frame, [left, top]: [f32; 2], room: [f32; 2], keys: &[Key<'_>]) -> bool {
    let widest = keys.iter().map(|key| wide(key.long)).fold(0.0, f32::max);
    let pitch = (room[1] / keys.len() as f32).floor().min(18.0);
    if widest > room[0] || pitch < 15.0 {
        return false;
    }
    for (i, key) in keys.iter().enumerate() {
        key.draw(frame, [left, top + pitch * (i as f32 + 0.5)], room[0], key.long);
    }
    true
}
