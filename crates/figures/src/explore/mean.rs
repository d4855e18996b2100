//! Attention of one query: the mean of the values, weighted by how well the keys fit.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::control::Control;
use super::rows::{self, Column, LOGITS, OTHER, SOFTMAX};
use super::sheet::{BAR, LINE, ROW, Sheet, fixed};
use super::{Derived, Entry, Explorer};
use crate::reference::Explored;

/// Room for a number.
const CELL: f32 = 56.0;
/// Height of the scale of values, and the greatest radius of a value's dot on it.
const SCALE: f32 = 40.0;
const DOT: f32 = 9.0;

fn draw(sheet: &mut Sheet, derived: &Derived<'_>) {
    let at = derived.at;
    let weights = super::maths::softmax(&at.logits, 1.0);
    let output: f64 = weights.iter().zip(&at.direction).map(|(weight, value)| weight * value).sum();
    let bars = (sheet.width - 20.0 - 2.0 * 48.0 - 2.0 * CELL - 16.0) / 2.0;
    let score = Column { x: 20.0, width: bars, most: Explored::LOGIT, signed: true };
    let weight_end = score.x + bars + 48.0 + CELL;
    let value = Column { x: weight_end + 16.0, width: bars, most: Explored::DIRECTION, signed: true };
    let product_end = value.x + bars + 48.0 + CELL;
    sheet.head(score.x, bars + 44.0, "score of a key: drag");
    sheet.head(value.x, bars + 44.0, "its value: drag");
    for (end, name) in [(weight_end, "weight"), (product_end, "product")] {
        sheet.frame.text([end, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, name);
    }
    sheet.y += ROW;
    for (i, weight) in weights.iter().enumerate() {
        rows::index(sheet, i);
        score.handle(sheet, Entry::Logit(i), at.logits[i], LOGITS);
        value.handle(sheet, Entry::Direction(i), at.direction[i], OTHER);
        let y = sheet.y + ROW / 2.0;
        sheet.frame.text([weight_end, y], 13.0, Anchor::End, SOFTMAX, fixed(*weight, 3));
        sheet.frame.text([product_end, y], 13.0, Anchor::End, Ink::Text, fixed(weight * at.direction[i], 3));
        sheet.y += ROW;
    }
    sheet.y += 4.0;
    let said = format!("The query's output is the sum of the products, {}.", fixed(output, 3));
    sheet.line(14.0, Ink::Accent, &said);
    let scale = Column { x: 20.0, width: sheet.width - 40.0, most: Explored::DIRECTION, signed: true };
    let middle = sheet.y + SCALE / 2.0;
    sheet.frame.line([scale.x, middle], [scale.x + scale.width, middle], 1.0, Ink::Muted, None);
    for (weight, of) in weights.iter().zip(&at.direction) {
        sheet.frame.dot([scale.at(*of), middle], 2.0 + DOT * weight.sqrt() as f32, OTHER, None);
    }
    let mark = scale.at(output);
    sheet.frame.fill([mark - 1.5, middle - BAR, 3.0, 2.0 * BAR], 0.0, Ink::Accent, None);
    sheet.y += SCALE;
    let below = "The values on a scale, larger for more weight: the output lies among them, as a mean does.";
    sheet.line(13.0, Ink::Muted, below);
    let each = weights.iter().zip(&at.direction);
    let each: Vec<String> =
        each.map(|(weight, value)| format!("{} × {}", fixed(*weight, 3), fixed(*value, 1))).collect();
    sheet.say(&format!("{said} {}.", each.join(" + ")));
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "mean",
    tab: "One query",
    controls: &[Control::Entries],
    controls_first: false,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, &Derived::of(view.at));
        String::new()
    },
};
