//! A row's weights from its scores and one number, lse: score − lse, and its exponential.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::control::Control;
use super::rows::{self, Column, LOGITS, SOFTMAX};
use super::sheet::{LINE, ROW, Sheet, fixed};
use super::{Derived, Entry, Explorer};
use crate::reference::Explored;

/// Room for a number.
const CELL: f32 = 84.0;

fn draw(sheet: &mut Sheet, derived: &Derived<'_>) {
    let logits = &derived.at.logits;
    let bars = (sheet.width - CELL - 20.0 - 2.0 * 48.0 - 24.0) / 2.0;
    let column = Column { x: 20.0, width: bars, most: Explored::LOGIT, signed: true };
    let end = column.x + bars + 48.0 + CELL;
    let weight = Column { x: end + 24.0, width: bars, most: 1.0, signed: false };
    let lse = super::maths::log_sum_exp(logits, 1.0);
    let kept = format!("lse of these scores, kept from the forward pass: {}", fixed(lse, 3));
    sheet.line(14.0, Ink::Accent, &kept);
    sheet.head(column.x, bars + 44.0, "score of a key: drag");
    sheet.frame.text([end, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, "score − lse");
    sheet.head(weight.x, bars + 44.0, "its exponential: the weight");
    sheet.y += ROW;
    let mut sum = 0.0;
    let mut each = Vec::new();
    for (i, score) in logits.iter().enumerate() {
        rows::index(sheet, i);
        column.handle(sheet, Entry::Logit(i), *score, LOGITS);
        let left = score - lse;
        sheet.frame.text([end, sheet.y + ROW / 2.0], 13.0, Anchor::End, Ink::Text, fixed(left, 3));
        let share = left.exp();
        sum += share;
        weight.ground(sheet);
        weight.bar(sheet, (0.0, share), [0.0, 1.0], SOFTMAX);
        weight.number(sheet, fixed(share, 3));
        each.push(format!("{} − {} gives {}", fixed(*score, 1), fixed(lse, 3), fixed(share, 3)));
        sheet.y += ROW;
    }
    sheet.y += 4.0;
    let said = format!("The weights add up to {}: no maximum and no sum was needed again.", fixed(sum, 3));
    sheet.line(13.0, Ink::Text, &said);
    sheet.say(&format!("{kept}. {}. {said}", each.join("; ")));
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "recall",
    tab: "One number",
    controls: &[Control::Entries],
    controls_first: false,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, &Derived::of(view.at));
        String::new()
    },
};
