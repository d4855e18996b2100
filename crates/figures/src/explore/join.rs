//! Parts of a row joined by their m, d and o: each part's factor, and the row's output.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::control::Control;
use super::rows::{self, Column, LOGITS};
use super::sheet::{LINE, ROW, Sheet, fixed};
use super::{Derived, Entry, Explorer};
use crate::reference::Explored;

/// Room for a number: the least and the most.
const CELL: [f32; 2] = [56.0, 76.0];

/// A part of a row: its maximum, its sum of exponentials, and its sum of values times exponentials.
#[derive(Clone, Copy)]
struct Part {
    m: f64,
    d: f64,
    o: f64,
}

impl Part {
    fn of(scores: &[f64], values: &[f64]) -> Self {
        let m = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let powers = || scores.iter().map(|score| (score - m).exp());
        Self { m, d: powers().sum(), o: powers().zip(values).map(|(power, value)| power * value).sum() }
    }

    /// The factor that its d and o are multiplied by in a row of maximum `m`.
    fn factor(&self, m: f64) -> f64 {
        (self.m - m).exp()
    }
}

/// The parts as one.
fn joined(parts: &[Part]) -> Part {
    let m = parts.iter().map(|part| part.m).fold(f64::NEG_INFINITY, f64::max);
    let sum = |of: fn(&Part) -> f64| parts.iter().map(|part| of(part) * part.factor(m)).sum();
    Part { m, d: sum(|part| part.d), o: sum(|part| part.o) }
}

fn draw(sheet: &mut Sheet, derived: &Derived<'_>) {
    let (scores, values) = (&derived.at.logits, &derived.at.direction);
    let middle = scores.len().div_ceil(2);
    let split = |of: &[f64]| (of[..middle].to_vec(), of[middle..].to_vec());
    let ((first, second), (v, w)) = (split(scores), split(values));
    let parts = [Part::of(&first, &v), Part::of(&second, &w)];
    let whole = joined(&parts);
    let bars = (sheet.width - 20.0 - 2.0 * 48.0 - 24.0) / 2.0;
    let column = Column { x: 20.0, width: bars, most: Explored::LOGIT, signed: true };
    let value = Column { x: column.x + bars + 48.0 + 24.0, width: bars, most: Explored::DIRECTION, signed: true };
    for (name, keys) in [("first part of the keys", 0..middle), ("second part", middle..scores.len())] {
        sheet.head(column.x, bars + 44.0, &format!("{name}: scores, drag"));
        sheet.head(value.x, bars + 44.0, "their values, drag");
        sheet.y += LINE;
        for i in keys {
            rows::index(sheet, i);
            column.handle(sheet, Entry::Logit(i), scores[i], LOGITS);
            value.handle(sheet, Entry::Direction(i), values[i], rows::OTHER);
            sheet.y += ROW;
        }
        sheet.y += 4.0;
    }
    let cell = ((sheet.width - 84.0) / 5.0).clamp(CELL[0], CELL[1]);
    let name = 130.0_f32.min(sheet.width - 5.0 * cell);
    let ends = [1.0, 2.0, 3.0, 4.0, 5.0].map(|i| name + i * cell - 4.0);
    for (end, head) in ends.into_iter().zip(["m", "d", "factor f", "d · f", "o · f"]) {
        sheet.frame.text([end, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, head);
    }
    sheet.y += LINE;
    let row = |sheet: &mut Sheet, name: &str, numbers: [Option<f64>; 5], ink: Ink| {
        let y = sheet.y + ROW / 2.0;
        sheet.frame.fitted([0.0, y], 13.0, Anchor::Start, ink, ends[0] - 44.0, name);
        for (k, (end, number)) in ends.into_iter().zip(numbers).enumerate() {
            let Some(number) = number else { continue };
            let is_factor = k == 2;
            let words = if is_factor { format!("× {}", fixed(number, 3)) } else { fixed(number, 3) };
            let ink = if is_factor && number < 1.0 { Ink::Conflict } else { ink };
            sheet.frame.text([end, y], 13.0, Anchor::End, ink, words);
        }
        sheet.y += ROW;
    };
    for (name, part) in ["first part", "second part"].into_iter().zip(parts) {
        let factor = part.factor(whole.m);
        let numbers = [part.m, part.d, factor, part.d * factor, part.o * factor].map(Some);
        row(sheet, name, numbers, Ink::Text);
        sheet.say(&format!("{name}: m {}, factor {}.", fixed(part.m, 1), fixed(factor, 3)));
    }
    sheet.frame.line([0.0, sheet.y], [ends[4], sheet.y], 1.0, Ink::Muted, None);
    row(sheet, "the row", [Some(whole.m), None, None, Some(whole.d), Some(whole.o)], Ink::Accent);
    let said =
        format!("Output: o / d = {}. The part with the greatest m keeps its full weight.", fixed(whole.o / whole.d, 3));
    sheet.line(13.0, Ink::Text, &said);
    sheet.say(&said);
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "join",
    tab: "Joining",
    controls: &[Control::Entries],
    controls_first: false,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, &Derived::of(view.at));
        String::new()
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_parts_are_the_whole_row() {
        let (scores, values) = ([1.0, -0.5, 2.0, 5.5, -1.5], [1.0, 0.0, -1.0, 0.5, 2.0]);
        let whole = Part::of(&scores, &values);
        let joined = joined(&[Part::of(&scores[..3], &values[..3]), Part::of(&scores[3..], &values[3..])]);
        let apart = [whole.m - joined.m, whole.d - joined.d, whole.o - joined.o];
        assert!(apart.iter().all(|apart| apart.abs() < 1e-12), "{apart:?}");
    }
}
