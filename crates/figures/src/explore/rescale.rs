//! The online rule of softmax, logit by logit: the maximum so far, the factor that the sum so far is multiplied by, and the sum.

use super::super::frame::Anchor;
use super::super::palette::{Hue, Ink};
use super::control::Control;
use super::rows::{self, Column, LOGITS, SOFTMAX};
use super::sheet::{BAR, LINE, ROW, Sheet, fixed};
use super::{Derived, Entry, Explorer};
use crate::reference::Explored;

/// Room for a number: the least and the most.
const CELL: [f32; 2] = [56.0, 74.0];

/// One logit of the sweep.
struct Step {
    m: f64,
    factor: f64,
    /// The sum so far, rescaled; and with this logit's exponential.
    kept: f64,
    d: f64,
}

/// m and d after each logit: Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
fn steps(logits: &[f64]) -> Vec<Step> {
    let (mut m, mut d) = (f64::NEG_INFINITY, 0.0);
    let step = |x: &f64| {
        let new = m.max(*x);
        let factor = if m == f64::NEG_INFINITY { 0.0 } else { (m - new).exp() };
        let kept = d * factor;
        (m, d) = (new, kept + (x - new).exp());
        Step { m, factor, kept, d }
    };
    logits.iter().map(step).collect()
}

fn draw(sheet: &mut Sheet, derived: &Derived<'_>) {
    let logits = &derived.at.logits;
    let steps = steps(logits);
    let cell = (sheet.width / 7.0).clamp(CELL[0], CELL[1]);
    let bars = (sheet.width - 2.0 * cell - 20.0 - 2.0 * 48.0 - 24.0) / 2.0;
    let column = Column { x: 20.0, width: bars, most: Explored::LOGIT, signed: true };
    let ends = [column.x + bars + 48.0 + cell, column.x + bars + 48.0 + 2.0 * cell];
    let most = logits.len() as f64;
    let sum = Column { x: ends[1] + 24.0, width: bars, most, signed: false };
    sheet.head(column.x, bars + 44.0, "logit x: drag");
    for (end, name) in ends.into_iter().zip(["m so far", "factor"]) {
        sheet.frame.text([end, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, name);
    }
    sheet.head(sum.x, bars + 44.0, "d so far");
    sheet.y += ROW;
    for (i, (x, step)) in logits.iter().zip(&steps).enumerate() {
        rows::index(sheet, i);
        column.handle(sheet, Entry::Logit(i), *x, LOGITS);
        let y = sheet.y + ROW / 2.0;
        let is_less = i > 0 && step.factor < 1.0;
        let ink = if is_less { Ink::Conflict } else { Ink::Text };
        sheet.frame.text([ends[0], y], 13.0, Anchor::End, ink, fixed(step.m, 1));
        let factor = if i == 0 { "–".to_owned() } else { format!("× {}", fixed(step.factor, 3)) };
        sheet.frame.text([ends[1], y], 13.0, Anchor::End, ink, factor);
        sum.ground(sheet);
        sum.bar(sheet, (0.0, step.kept), [0.0, 1.0], SOFTMAX);
        sum.bar(sheet, (step.kept, step.d), [0.0, 1.0], Hue::Load.tint(50));
        if is_less {
            let before = steps[i - 1].d;
            let (top, to) = (sheet.y + (ROW - BAR) / 2.0, sum.at(before));
            sheet.frame.outline([sum.x, top, to - sum.x, BAR], 2.0, None, Ink::Conflict, None);
        }
        sum.number(sheet, fixed(step.d, 3));
        sheet.y += ROW;
    }
    let keys = [
        (SOFTMAX, "d before, times the factor"),
        (Hue::Load.tint(50), "the new exponential"),
        (Ink::Conflict, "d before, where m grew"),
    ];
    sheet.legend(0.0, &keys);
    if let Some(last) = steps.last() {
        let said = format!(
            "One sweep gives m = {}, d = {}, and m + log d = {}. First the maximum and then the sum give the same: {}.",
            fixed(last.m, 1),
            fixed(last.d, 3),
            fixed(last.d.ln() + last.m, 3),
            fixed(super::maths::log_sum_exp(logits, 1.0), 3)
        );
        sheet.line(13.0, Ink::Text, &said);
        sheet.say(&said);
    }
    let each = steps.iter().map(|step| format!("m {}, d {}", fixed(step.m, 1), fixed(step.d, 3)));
    sheet.say(&format!("{}.", each.collect::<Vec<_>>().join("; ")));
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "rescale",
    tab: "Online rule",
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
    fn one_sweep_gives_the_sum_of_two() {
        for logits in [vec![1.0, -0.5, 2.0, 0.3, -1.5], vec![-6.0, 6.0], vec![3.0; 8]] {
            let last = steps(&logits).pop().expect("a step for each logit");
            let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = logits.iter().map(|x| (x - most).exp()).sum();
            assert!((last.m - most).abs() < 1e-12 && (last.d - sum).abs() < 1e-12, "{logits:?}");
        }
    }
}
