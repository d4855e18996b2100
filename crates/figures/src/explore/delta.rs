//! The sum over a row of attention's weights and their gradients, twice: product by product, and as o · dO.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::control::Control;
use super::rows::{self, Column, LOGITS, SOFTMAX};
use super::sheet::{LINE, ROW, Sheet, fixed};
use super::{Derived, Entry, Explorer};
use crate::reference::Explored;

/// Room for a number: the least and the most.
const CELL: [f32; 2] = [50.0, 72.0];
/// The second number of each key's value; the first is the entry of the direction.
const SECOND: [f64; Explored::MOST] = [0.5, -1.0, 1.5, 0.2, -0.7, 1.1, -0.4, 0.9];
/// The gradient of the output.
const D_O: [f64; 2] = [1.2, -0.8];

/// Of a query with these weights and values: dP by key, the output o, and both sums.
struct Sums {
    d_p: Vec<f64>,
    o: [f64; 2],
    /// Σ P · dP.
    by_key: f64,
    /// o · dO.
    by_output: f64,
}

fn sums(weights: &[f64], values: &[[f64; 2]]) -> Sums {
    let dot = |v: &[f64; 2]| D_O[0] * v[0] + D_O[1] * v[1];
    let d_p: Vec<f64> = values.iter().map(dot).collect();
    let o = [0, 1].map(|i| weights.iter().zip(values).map(|(p, v)| p * v[i]).sum());
    let by_key = weights.iter().zip(&d_p).map(|(p, d_p)| p * d_p).sum();
    Sums { d_p, by_key, by_output: dot(&o), o }
}

fn draw(sheet: &mut Sheet, derived: &Derived<'_>) {
    let at = derived.at;
    let values: Vec<[f64; 2]> = at.direction.iter().zip(SECOND).map(|(first, second)| [*first, second]).collect();
    let weights = super::maths::softmax(&at.logits, 1.0);
    let Sums { d_p, o, by_key, by_output } = sums(&weights, &values);
    let cell = ((sheet.width - 68.0 - 50.0) / 5.0).clamp(CELL[0], CELL[1]);
    let bars = sheet.width - 5.0 * cell - 68.0;
    let column = Column { x: 20.0, width: bars, most: Explored::LOGIT, signed: true };
    let ends = [1.0, 2.0, 3.0, 4.0, 5.0].map(|i| column.x + bars + 48.0 + i * cell);
    sheet.head(column.x, bars + 44.0, "score: drag");
    for (end, name) in ends.into_iter().zip(["P", "v, first", "second", "dP", "P · dP"]) {
        sheet.frame.text([end, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, name);
    }
    sheet.y += ROW;
    for (i, score) in at.logits.iter().enumerate() {
        rows::index(sheet, i);
        column.handle(sheet, Entry::Logit(i), *score, LOGITS);
        let numbers = [weights[i], values[i][0], values[i][1], d_p[i], weights[i] * d_p[i]];
        for (k, (end, number)) in ends.into_iter().zip(numbers).enumerate() {
            let ink = if k == 0 { SOFTMAX } else { Ink::Text };
            let digits = if matches!(k, 1 | 2) { 1 } else { 3 };
            sheet.frame.text([end, sheet.y + ROW / 2.0], 13.0, Anchor::End, ink, fixed(number, digits));
        }
        sheet.y += ROW;
    }
    sheet.frame.line([ends[3] + 8.0, sheet.y], [ends[4], sheet.y], 1.0, Ink::Muted, None);
    let y = sheet.y + ROW / 2.0;
    let [of_keys, of_output] = [by_key, by_output].map(|sum| fixed(sum, 3));
    sheet.frame.text([ends[4], y], 15.0, Anchor::End, Ink::Accent, of_keys.clone());
    let long = format!("the sum over {} keys", at.logits.len());
    sheet.frame.fitted([ends[3] - 4.0, y], 13.0, Anchor::End, Ink::Muted, ends[3] - 24.0, &long);
    sheet.y += ROW + 4.0;
    let y = sheet.y + ROW / 2.0;
    let pair = |v: [f64; 2], digits: usize| format!("({}, {})", fixed(v[0], digits), fixed(v[1], digits));
    let short = format!("o · dO = {} · {}", pair(o, 3), pair(D_O, 1));
    sheet.frame.text([ends[4], y], 15.0, Anchor::End, Ink::Accent, of_output.clone());
    sheet.frame.fitted([ends[3] - 4.0, y], 13.0, Anchor::End, Ink::Text, ends[3] - 24.0, &short);
    sheet.y += ROW + 4.0;
    let said = "P: a key's weight; v: its value; dP = dO · v. o, the row's output Σ P v, is in memory. P and dP, as long as the row, are not.";
    sheet.line(13.0, Ink::Muted, said);
    sheet.say(&format!("{long}: {of_keys}; {short} = {of_output}. {said}"));
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "delta",
    tab: "Delta",
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
    fn both_sums_are_one() {
        let weights = super::super::maths::softmax(&[1.0, -2.0, 0.5], 1.0);
        let sums = sums(&weights, &[[1.0, 0.5], [-2.0, 1.5], [0.25, -3.0]]);
        assert!((sums.by_key - sums.by_output).abs() < 1e-12 && sums.by_key.abs() > 0.01);
    }
}
