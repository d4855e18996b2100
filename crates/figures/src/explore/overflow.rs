//! Softmax in f32 with large logits: by its formula, and with the maximum subtracted first.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::control::Control;
use super::rows::{self, Column, LOGITS};
use super::sheet::{LINE, ROW, Sheet, fixed, short};
use super::{Derived, Entry, Explorer};
use crate::reference::Explored;
use crate::reference::softmax::in_f32;

/// Room for a number.
const CELL: f32 = 66.0;

/// Draws it: the logits, and beside them exponentials and quotients, both ways.
fn draw(sheet: &mut Sheet, derived: &Derived<'_>) {
    let at = derived.at;
    let shifted: Vec<f32> = at.logits.iter().map(|a| ((a + at.shift) / at.temperature) as f32).collect();
    let most = shifted.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let ways = [in_f32(&shifted, 0.0), in_f32(&shifted, most)];
    let ends = [3.0, 2.0, 1.0, 0.0].map(|i| sheet.width - i * CELL);
    let names = ["as it stands", "maximum m first"];
    for (end, name) in [ends[1], ends[3]].into_iter().zip(names) {
        sheet.frame.text([end, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Text, name);
    }
    sheet.y += LINE;
    let column = Column { x: 20.0, width: sheet.width - 4.0 * CELL - 76.0, most: Explored::LOGIT, signed: true };
    sheet.head(column.x, column.width + 44.0, "x: drag");
    for (end, name) in ends.into_iter().zip(["exp z", "÷ sum", "exp(z−m)", "÷ sum"]) {
        sheet.frame.text([end, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, name);
    }
    sheet.y += ROW;
    for (i, a) in at.logits.iter().enumerate() {
        rows::index(sheet, i);
        column.handle(sheet, Entry::Logit(i), *a, LOGITS);
        let values = ways.iter().flat_map(|way| [way.powers[i], way.quotients[i]]);
        for (end, value) in ends.into_iter().zip(values) {
            number(sheet, end, value);
        }
        sheet.y += ROW;
    }
    sheet.frame.text([0.0, sheet.y + ROW / 2.0], 13.0, Anchor::Start, Ink::Muted, "sum");
    for (end, value) in [ends[0], ends[2]].into_iter().zip(ways.iter().map(|way| way.sum)) {
        number(sheet, end, value);
    }
    sheet.y += ROW + 8.0;
    let (s, t) = (short(at.shift), short(at.temperature));
    sheet.line(13.0, Ink::Muted, &format!("z = (x + s) / T in f32, s = {s}, T = {t}, m = {most:.1}"));
    for (way, name) in ways.iter().zip(names) {
        let holds = way.quotients.iter().all(|y| y.is_finite()) && way.sum.is_finite();
        let total: f32 = way.quotients.iter().sum();
        let said = if holds {
            format!("{name}: the quotients add up to {}", written(total))
        } else if way.sum.is_infinite() {
            format!("{name}: the sum is beyond the largest f32")
        } else {
            format!("{name}: every exponential is 0: 0 ÷ 0")
        };
        sheet.mark(0.0, sheet.y, holds);
        sheet.frame.text([20.0, sheet.y + LINE / 2.0], 13.0, Anchor::Start, Ink::Text, &said);
        sheet.say(&format!("{said}."));
        sheet.y += LINE;
    }
    sheet.say(&format!("All logits with {s} added, at temperature {t}."));
    sheet.y += 4.0;
}

fn number(sheet: &mut Sheet, end: f32, value: f32) {
    let ink = if value.is_finite() { Ink::Text } else { Ink::Conflict };
    sheet.frame.text([end, sheet.y + ROW / 2.0], 13.0, Anchor::End, ink, written(value));
}

/// A value of any size in a few characters.
fn written(value: f32) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else if value == 0.0 || (1e-3..1e4).contains(&value) {
        fixed(f64::from(value), 3)
    } else {
        format!("{value:.1e}").replace('-', "−")
    }
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "overflow",
    tab: "Overflow",
    controls: &[
        Control::Temperature,
        Control::Slider {
            names: ["added to all, s", "added to all logits"],
            of: |at| &mut at.shift,
            range: [-Explored::SHIFT, Explored::SHIFT],
            step: 0.5,
        },
        Control::Entries,
    ],
    controls_first: false,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, &Derived::of(view.at));
        String::new()
    },
};
