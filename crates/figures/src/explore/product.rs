//! J·v both ways: from the whole matrix, and from two vectors and one dot product; and what each costs.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::super::text;
use super::rows::{self, Column, OTHER, SOFTMAX};
use super::sheet::{LINE, ROW, Sheet, diverging, fixed, short, tiny};
use super::{Derived, Entry, maths};
use crate::reference::Explored;

/// Width of a column of results.
const RESULT: f32 = 104.0;

/// Draws the vector, both products and their costs.
pub(super) fn draw(sheet: &mut Sheet, derived: &Derived<'_>, matrix: &[Vec<f64>]) {
    let (v, t) = (&derived.at.direction, derived.at.temperature);
    let explicit = maths::explicit_product(matrix, v);
    let collapsed = maths::product(&derived.y, v, t);
    let off = explicit.iter().zip(&collapsed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let dot = maths::dot(&derived.y, v);
    sheet.line(14.0, Ink::Text, "J·v, two ways");
    let over = if t == 1.0 { "" } else { " / T" };
    let ends = [sheet.width - RESULT, sheet.width];
    let column = Column { x: 20.0, width: sheet.width - 2.0 * RESULT - 68.0, most: Explored::DIRECTION, signed: true };
    sheet.head(column.x, column.width + 44.0, "vector v: drag");
    for (x, head) in ends.into_iter().zip(["Σⱼ Jᵢⱼ vⱼ".to_owned(), format!("yᵢ(vᵢ − y·v){over}")]) {
        let head = text::fit(&head, 12.0, false, RESULT - 8.0);
        sheet.frame.text([x, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, head);
    }
    sheet.y += ROW;
    for (i, v) in v.iter().enumerate() {
        rows::index(sheet, i);
        column.handle(sheet, Entry::Direction(i), *v, OTHER);
        for (x, value) in ends.into_iter().zip([explicit[i], collapsed[i]]) {
            sheet.frame.text([x, sheet.y + ROW / 2.0], 13.0, Anchor::End, Ink::Text, fixed(value, 5));
        }
        sheet.y += ROW;
    }
    sheet.y += 8.0;
    // Each product rounds a few times.
    let same = off <= 1e-14 / t;
    sheet.mark(0.0, sheet.y, same);
    let said = format!("y·v = {}; the two differ by at most {}", short(dot), tiny(off));
    let y = sheet.y + LINE / 2.0;
    sheet.frame.text([20.0, y], 13.0, Anchor::Start, Ink::Text, &said);
    sheet.say(&format!("{said}."));
    sheet.y += LINE + 8.0;
    costs(sheet, derived, matrix);
}

/// The matrix and what takes its place, drawn to one scale, with the operations of each.
fn costs(sheet: &mut Sheet, derived: &Derived<'_>, matrix: &[Vec<f64>]) {
    const CELL: f32 = 7.0;
    let (n, t) = (matrix.len(), derived.at.temperature);
    let tall = n as f32 * CELL;
    let half = (sheet.width / 2.0).round();
    let mut cell = |x: f32, i: usize, j: usize, ink: Ink| {
        let at = [x + j as f32 * CELL, sheet.y + i as f32 * CELL];
        sheet.frame.fill([at[0], at[1], CELL - 1.0, CELL - 1.0], 1.0, ink, None);
    };
    for (i, row) in matrix.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            cell(0.0, i, j, if entry.abs() * t < 0.005 { Ink::Faint } else { diverging(entry * 4.0 * t) });
        }
        cell(half, i, 0, SOFTMAX);
        cell(half, i, 2, OTHER);
    }
    // A division by the temperature is one more operation an entry.
    let (last, formula) = if t == 1.0 { (4 * n - 1, "4n − 1") } else { (5 * n - 1, "5n − 1") };
    let middle = sheet.y + tall / 2.0;
    let sides = [
        (tall + 11.0, [format!("{} entries", n * n), format!("2n² − n = {} FLOP", 2 * n * n - n)]),
        (half + 3.0 * CELL + 11.0, ["2 vectors, 1 dot product".to_owned(), format!("{formula} = {last} FLOP")]),
    ];
    for (x, lines) in sides {
        for (line, dy) in lines.iter().zip([-9.0, 9.0]) {
            let y = middle.max(sheet.y + LINE) + dy;
            sheet.frame.fitted([x, y], 12.0, Anchor::Start, Ink::Text, sheet.width - x, line);
        }
        sheet.say(&format!("{}.", lines.join(", ")));
    }
    sheet.y += tall.max(2.0 * LINE) + 8.0;
}
