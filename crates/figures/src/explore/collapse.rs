//! The Jacobian as the difference of a diagonal and an outer product: n² entries from two copies of one vector.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::super::text;
use super::Derived;
use super::rows::SOFTMAX;
use super::sheet::{LINE, Sheet, diverging};

/// The largest cell.
const CELL: f32 = 26.0;
/// Room for a sign between two matrices.
const SIGN: f32 = 28.0;
/// From the cells of a matrix to the vector beside it, and the vector's width.
const BESIDE: [f32; 2] = [3.0, 8.0];

/// A matrix by row and column.
type Entries<'a> = &'a dyn Fn(usize, usize) -> f64;

/// Draws J = diag(y) − y yᵀ, with the vector that each part is made of beside it.
pub(super) fn draw(sheet: &mut Sheet, derived: &Derived<'_>, matrix: &[Vec<f64>]) {
    let (n, t, y) = (matrix.len(), derived.at.temperature, &derived.y);
    let by = if t == 1.0 { "" } else { " / T" };
    sheet.line(14.0, Ink::Text, "What the matrix is made of");
    let vectors = BESIDE[0] + BESIDE[1];
    let cell = ((sheet.width - 2.0 * SIGN - 2.0 * vectors) / (3 * n) as f32).floor().clamp(4.0, CELL);
    let tall = n as f32 * cell;
    let top = sheet.y + LINE + vectors;
    // One scale for all three: what is subtracted is seen to be taken away.
    let most = y.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let parts: [(&str, Entries<'_>); 3] = [
        ("J", &|i, j| matrix[i][j] * t),
        ("diag(y)", &|i, j| if i == j { y[i] } else { 0.0 }),
        ("y yᵀ", &|i, j| y[i] * y[j]),
    ];
    let mut x = 0.0;
    for (place, (name, entry)) in parts.iter().enumerate() {
        if place > 0 {
            let sign = if place == 1 { "=" } else { "−" };
            sheet.frame.text([x + SIGN / 2.0, top + tall / 2.0], 16.0, Anchor::Middle, Ink::Text, sign);
            x += SIGN;
        }
        // The outer product has its vector on both sides, the diagonal has it above.
        let has_column = place == 2;
        let left = if has_column { x + vectors } else { x };
        let name = if place > 0 { format!("{name}{by}") } else { (*name).to_owned() };
        let name = text::fit(&name, 12.0, false, tall + SIGN / 2.0);
        sheet.frame.text([left, sheet.y + LINE / 2.0], 12.0, Anchor::Start, Ink::Muted, name);
        for i in 0..n {
            for j in 0..n {
                let at = [left + j as f32 * cell, top + i as f32 * cell, cell - 1.0, cell - 1.0];
                let share = entry(i, j) / most;
                let ink = if share == 0.0 { Ink::Panel } else { diverging(share.signum() * share.abs().sqrt()) };
                sheet.frame.outline(at, 1.0, Some(ink), Ink::Faint, None);
            }
        }
        for (i, y) in y.iter().enumerate().filter(|_| place > 0) {
            let long = (*y as f32 * (cell - 1.0)).max(1.0);
            let above = [left + i as f32 * cell, top - BESIDE[0] - BESIDE[1], long, BESIDE[1]];
            sheet.frame.fill(above, 0.0, SOFTMAX, None);
            if has_column {
                let beside = [x, top + i as f32 * cell, BESIDE[1], long];
                sheet.frame.fill(beside, 0.0, SOFTMAX, None);
            }
        }
        x = left + tall;
    }
    sheet.y = top + tall + 8.0;
    let said = format!("J = (diag(y) − y yᵀ){by}: {} entries, which {n} numbers determine", n * n);
    sheet.line(13.0, Ink::Muted, &said);
    sheet.say(&format!("{said}."));
    sheet.y += 16.0;
}
