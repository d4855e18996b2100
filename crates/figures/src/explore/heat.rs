//! The Jacobian as a heat map beside its finite differences, one entry spelled out, and what holds for all of it.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::super::text;
use super::sheet::{LINE, Sheet, diverging, fixed, short, sub, tiny};
use super::{Derived, maths};

/// Room for the number of a row.
const INDEX: f32 = 20.0;
/// The largest width of a cell, and the largest height: low rows leave room below them in a small window.
const CELL: f32 = 48.0;
const TALL: f32 = 28.0;
/// Room for the name of the second map.
const DIFFERENCES: f32 = 112.0;

/// Draws both maps with what belongs to them, and spells the entry `(i, j)` in words.
pub(super) fn draw(sheet: &mut Sheet, derived: &Derived<'_>, matrix: &[Vec<f64>], (i, j): (usize, usize)) -> String {
    let n = matrix.len();
    let (i, j) = (i.min(n - 1), j.min(n - 1));
    let count = n as f32;
    let t = derived.at.temperature;
    let numeric = maths::finite_differences(&derived.at.logits, t);
    let cell = ((sheet.width * 0.6 - INDEX) / count).floor().min(CELL);
    let wide = INDEX + cell * count;
    let small = ((sheet.width - wide - 24.0) / count).floor().min(cell);
    // The second map's name needs room even where the map is narrow.
    let right = sheet.width - (small * count).max(DIFFERENCES);
    sheet.y += 8.0;
    sheet.head(INDEX, right - INDEX - 8.0, "J: rows i, columns j");
    sheet.head(right, sheet.width - right, "finite differences");
    sheet.y += LINE;
    for k in 0..n {
        let middle = (k as f32 + 0.5) * cell;
        let row = [0.0, sheet.y + LINE + (k as f32 + 0.5) * cell.min(TALL)];
        sheet.frame.text(row, 13.0, Anchor::Start, if k == i { Ink::Text } else { Ink::Muted }, k.to_string());
        let column = [INDEX + middle, sheet.y + LINE / 2.0];
        sheet.frame.text(column, 13.0, Anchor::Middle, if k == j { Ink::Text } else { Ink::Muted }, k.to_string());
    }
    sheet.y += LINE;
    let top = sheet.y;
    sheet.cells = map(sheet, matrix, [INDEX, top, cell], t, (i, j));
    map(sheet, &numeric, [right, top, small], t, (i, j));
    sheet.y += cell.min(TALL) * count + 8.0;
    scale(sheet, t);
    let words = spell(sheet, derived, matrix[i][j], (i, j));
    checks(sheet, matrix, &numeric, t);
    words
}

/// Draws a matrix with its top left corner at `x`, `y` in cells of this width, and gives the cells' places.
fn map(
    sheet: &mut Sheet,
    matrix: &[Vec<f64>],
    [x, y, cell]: [f32; 3],
    t: f64,
    spelled: (usize, usize),
) -> Vec<[f32; 4]> {
    let mut places = Vec::new();
    let tall = cell.min(TALL);
    // All numbers alike: with their leading zero where that fits, else without, else none.
    let fits = |text: &str| text::width(text, 12.0, false) <= cell - 2.0;
    let style = ["−0.000", "−0.00", "−.00"].into_iter().position(fits);
    for (i, row) in matrix.iter().enumerate() {
        for (j, entry) in row.iter().enumerate() {
            let place = [x + j as f32 * cell, y + i as f32 * tall, cell, tall];
            places.push(place);
            let inner = [place[0] + 0.5, place[1] + 0.5, cell - 1.0, tall - 1.0];
            sheet.frame.outline(inner, 2.0, Some(diverging(entry * 4.0 * t)), Ink::Faint, None);
            let number = match style {
                Some(0) => fixed(*entry, 3),
                Some(1) => fixed(*entry, 2),
                Some(_) => fixed(*entry, 2).replacen("0.", ".", 1),
                None => continue,
            };
            // A cold softmax has entries above 1, which take more room.
            if fits(&number) {
                let middle = [place[0] + cell / 2.0, place[1] + tall / 2.0];
                sheet.frame.text(middle, 12.0, Anchor::Middle, Ink::Text, number);
            }
        }
    }
    let [left, top] = [x + spelled.1 as f32 * cell, y + spelled.0 as f32 * tall];
    let rect = [left + 1.0, top + 1.0, cell - 2.0, tall - 2.0];
    sheet.frame.items.push(super::super::frame::Item::Rect {
        rect,
        radius: 2.0,
        fill: None,
        stroke: Some((Ink::Accent, 2.0)),
        tag: None,
    });
    places
}

/// The colours, from the least entry that any Jacobian can have to the greatest.
fn scale(sheet: &mut Sheet, t: f64) {
    const STEPS: u8 = 16;
    let (y, size) = (sheet.y + LINE / 2.0, 8.0);
    let (low, high) = (format!("−¼/T = {}", fixed(-0.25 / t, 2)), format!("¼/T = {}", fixed(0.25 / t, 2)));
    let mut x = INDEX;
    sheet.frame.text([x, y], 12.0, Anchor::Start, Ink::Muted, &low);
    x += text::width(&low, 12.0, false) + 8.0;
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS) * 2.0 - 1.0;
        sheet.frame.fill([x, y - 6.0, size, 12.0], 0.0, diverging(share), None);
        x += size;
    }
    sheet.frame.text([x + 8.0, y], 12.0, Anchor::Start, Ink::Muted, high);
    sheet.y += LINE + 8.0;
}

/// J[2,0] = y₂(δ₂₀ − y₀) = 0.240 × (0 − 0.660) = −0.158.
fn spell(sheet: &mut Sheet, derived: &Derived<'_>, entry: f64, (i, j): (usize, usize)) -> String {
    let t = derived.at.temperature;
    let (over, by) = if t == 1.0 { ("", String::new()) } else { (" / T", format!(" / {}", short(t))) };
    let (row, column) = (sub(i), sub(j));
    let formula = format!("J[{i},{j}] = y{row}(δ{row}{column} − y{column}){over}");
    let delta = u8::from(i == j);
    let (y, other) = (fixed(derived.y[i], 3), fixed(derived.y[j], 3));
    let figures = format!("= {y} × ({delta} − {other}){by} = {}", fixed(entry, 3));
    let words = format!("{formula} {figures}");
    let y = sheet.y + LINE / 2.0;
    let first = text::width(&formula, 14.0, false) + 8.0;
    sheet.frame.text([0.0, y], 14.0, Anchor::Start, Ink::Accent, formula);
    if first + text::width(&figures, 14.0, false) <= sheet.width {
        sheet.frame.text([first, y], 14.0, Anchor::Start, Ink::Text, figures);
    } else {
        sheet.y += LINE;
        sheet.frame.text([INDEX, y + LINE], 14.0, Anchor::Start, Ink::Text, figures);
    }
    sheet.y += LINE + 8.0;
    sheet.say(&format!("{words}."));
    words
}

/// Properties of every Jacobian of softmax, checked on this one.
fn checks(sheet: &mut Sheet, matrix: &[Vec<f64>], numeric: &[Vec<f64>], t: f64) {
    let most = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).fold(0.0, f64::max);
    let sums = most(&mut matrix.iter().map(|row| row.iter().sum()));
    let transposed: Vec<Vec<f64>> = (0..matrix.len()).map(|j| matrix.iter().map(|row| row[j]).collect()).collect();
    let skew = maths::largest_difference(matrix, &transposed);
    let entry = most(&mut matrix.iter().flatten().copied());
    let norm = maths::spectral_norm(matrix);
    let off = maths::largest_difference(matrix, numeric);
    // Roundings of numbers of size 1/t.
    let rounding = 1e-14 / t;
    let bound = |value: f64, most: f64| (value <= most + rounding, format!("{} ≤ {}", short(value), short(most)));
    let (small, is_small) = bound(entry, 0.25 / t);
    let (short_norm, is_short) = bound(norm, 0.5 / t);
    let off_by = |most: f64| if most == 0.0 { "exactly".to_owned() } else { format!("within {}", tiny(most)) };
    let rows = [
        (sums <= rounding, "rows sum to 0", off_by(sums)),
        (skew <= rounding, "symmetric", off_by(skew)),
        (small, "no entry beyond ¼ / T", is_small),
        (short_norm, "no vector grows beyond ½ / T: ‖J‖₂", is_short),
        (off <= 1e-8 / t, "equal to the finite differences", off_by(off)),
    ];
    for (holds, what, value) in rows {
        sheet.mark(0.0, sheet.y, holds);
        let y = sheet.y + LINE / 2.0;
        sheet.frame.text([INDEX, y], 13.0, Anchor::Start, Ink::Text, what);
        sheet.frame.text([sheet.width, y], 13.0, Anchor::End, Ink::Muted, &value);
        sheet.say(&format!("{}: {what}, {value}.", if holds { "Holds" } else { "Does not hold" }));
        sheet.y += LINE;
    }
    sheet.y += 16.0;
}
