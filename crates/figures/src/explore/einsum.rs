//! An einsum as loops: what a warp reads of each operand, and the einsums of the gradients.

use std::collections::BTreeSet;

use super::super::frame::{Anchor, Item};
use super::super::palette::{Hue, Ink};
use super::super::text;
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::base::units::count;
use crate::reference::Explored;
use crate::reference::einsum::{Einsum, NAMES, elements, size, values};

/// The largest and the smallest cell.
const CELL: [f32; 2] = [4.0, 15.0];
/// Rows of an operand that are shown at most.
const ROWS: usize = 32;
/// Between two operands.
const GAP: f32 = 20.0;
/// Elements of four bytes in a sector.
const SECTOR: usize = 8;

/// Draws it, or says why the letters are no einsum.
fn draw(sheet: &mut Sheet, letters: &str) {
    let einsum = match Einsum::read(letters) {
        Ok(einsum) => einsum,
        Err(why) => {
            sheet.line(14.0, Ink::Conflict, &why);
            return sheet.say(&format!("No einsum: {why}."));
        }
    };
    let names: String = NAMES[..einsum.operands.len()].iter().map(|name| format!(", {name}")).collect();
    code(sheet, Ink::Text, &format!("c = einsum(\"{}\"{names})", einsum.written()));
    sheet.say(&format!("{}:", einsum.written()));
    for operand in 0..einsum.operands.len() {
        gradient(sheet, &einsum, operand);
    }
    sheet.y += 8.0;
    nest(sheet, &einsum);
    sheet.y += 8.0;
    tensors(sheet, &einsum);
}

/// A line of code from the left edge.
fn code(sheet: &mut Sheet, ink: Ink, words: &str) {
    let size =
        [14.0, 13.0, 12.0].into_iter().find(|size| text::width(words, *size, true) <= sheet.width).unwrap_or(12.0);
    let words = text::fit(words, size, true, sheet.width);
    let at = [0.0, sheet.y + LINE / 2.0];
    sheet.frame.items.push(Item::Text { at, size, anchor: Anchor::Start, ink, text: words, mono: true, tag: None });
    sheet.y += LINE;
}

/// An element, such as `a[i, j]`.
fn element(name: char, letters: &[char]) -> String {
    let letters: Vec<String> = letters.iter().map(ToString::to_string).collect();
    format!("{name}[{}]", letters.join(", "))
}

/// The loops, and how much work they are.
fn nest(sheet: &mut Sheet, einsum: &Einsum) {
    let summed = einsum.summed();
    let ranges = |letters: &[char]| {
        let all: Vec<String> = letters.iter().map(|letter| format!("{letter} < {}", size(*letter))).collect();
        all.join(", ")
    };
    let (mut indent, mut lines) = (String::new(), Vec::new());
    if !einsum.result.is_empty() {
        lines.push(format!("for {}:", ranges(&einsum.result)));
        indent.push_str("  ");
    }
    let lanes = lines.len();
    let factors: Vec<String> =
        NAMES.iter().zip(&einsum.operands).map(|(name, letters)| element(*name, letters)).collect();
    let (into, factors) = (element('c', &einsum.result), factors.join(" * "));
    if summed.is_empty() {
        lines.push(format!("{indent}{into} = {factors}"));
    } else {
        lines.push(format!("{indent}for {}:", ranges(&summed)));
        lines.push(format!("{indent}  {into} += {factors}"));
    }
    for (at, line) in lines.iter().enumerate() {
        let y = sheet.y + LINE / 2.0;
        code(sheet, Ink::Text, line);
        let note = match at {
            0 if lanes == 1 => "a lane each",
            _ if at == lanes && !summed.is_empty() => "summed, in the lane",
            _ => "",
        };
        let room = sheet.width - text::width(line, 14.0, true) - 12.0;
        if !note.is_empty() && text::width(note, 12.0, false) <= room {
            sheet.frame.text([sheet.width, y], 12.0, Anchor::End, Ink::Muted, note);
        }
    }
    let steps = elements(&summed);
    let thing = if einsum.operands.len() > 1 { "product" } else { "element" };
    let each = match summed.is_empty() {
        true => format!("one {thing}"),
        false => format!("a sum of {} {thing}s", count(steps as u64)),
    };
    let (results, flops) = (count(elements(&einsum.result) as u64), count(einsum.flops() as u64));
    let said = format!("{results} results, each {each}: {flops} FLOP");
    sheet.line(13.0, Ink::Text, &said);
    sheet.say(&format!("{said}."));
}

/// Every operand and the result, with the elements of a warp's lanes.
fn tensors(sheet: &mut Sheet, einsum: &Einsum) {
    let (count, summed) = (einsum.operands.len() + 1, einsum.summed());
    let lanes = elements(&einsum.result).min(Explored::LANES);
    let results: Vec<_> = (0..lanes).map(|lane| values(&einsum.result, lane)).collect();
    let column = (sheet.width - GAP * (count - 1) as f32) / count as f32;
    let cell = (column / SECTOR as f32).floor().clamp(CELL[0], CELL[1]);
    let (top, mut bottom) = (sheet.y, sheet.y);
    for at in 0..count {
        let of = |values: &[(char, usize)]| einsum.operands.get(at).map(|_| einsum.place(at, values));
        let name = NAMES.get(at).filter(|_| at + 1 < count).copied().unwrap_or('c');
        let letters = einsum.operands.get(at).unwrap_or(&einsum.result);
        let first: Vec<usize> = results.iter().enumerate().map(|(lane, of_lane)| of(of_lane).unwrap_or(lane)).collect();
        let later: BTreeSet<usize> = (1..elements(&summed))
            .flat_map(|step| results.iter().map(move |of_lane| (step, of_lane)))
            .filter_map(|(step, of_lane)| of(&[of_lane.clone(), values(&summed, step)].concat()))
            .collect();
        sheet.y = top;
        let x = at as f32 * (column + GAP);
        let strides = einsum.result.last().map(|last| match einsum.operands.get(at) {
            Some(_) => einsum.stride(at, *last),
            None => 1,
        });
        let sectors = first.iter().map(|place| place / SECTOR).collect::<BTreeSet<_>>().len();
        let stride = strides.map_or_else(String::new, |stride| format!("stride {stride} per lane, "));
        let cost = format!("{stride}{sectors} sector{}", if sectors == 1 { "" } else { "s" });
        let head = |sheet: &mut Sheet, ink: Ink, size: f32, words: &str| {
            sheet.frame.fitted([x, sheet.y + LINE / 2.0], size, Anchor::Start, ink, column, words);
            sheet.y += LINE - 2.0;
        };
        head(sheet, Ink::Text, 14.0, &element(name, letters));
        head(sheet, Ink::Muted, 12.0, &cost);
        sheet.say(&format!("{}: {cost}.", element(name, letters)));
        let (now, then) = match einsum.operands.get(at) {
            Some(_) => (Hue::Load.tint(70), Hue::Load.tint(22)),
            None => (Hue::Store.tint(70), Ink::Panel),
        };
        let columns = letters.last().map_or(1, |last| size(*last));
        let rows = elements(letters).div_ceil(columns);
        for place in 0..rows.min(ROWS) * columns {
            let ink = match () {
                () if first.contains(&place) => now,
                () if later.contains(&place) => then,
                () => Ink::Panel,
            };
            let corner = [x + (place % columns) as f32 * cell, sheet.y + (place / columns) as f32 * cell];
            sheet.frame.outline([corner[0], corner[1], cell - 1.0, cell - 1.0], 1.0, Some(ink), Ink::Faint, None);
        }
        sheet.y += rows.min(ROWS) as f32 * cell + 2.0;
        if rows > ROWS {
            head(sheet, Ink::Muted, 12.0, &format!("and {} more rows", rows - ROWS));
        }
        bottom = bottom.max(sheet.y);
    }
    sheet.y = bottom;
    let read = format!("read at once by {lanes} lanes");
    let mut keys = vec![(Hue::Load.tint(70), read.as_str())];
    if !summed.is_empty() {
        keys.push((Hue::Load.tint(22), "in later steps of the sum"));
    }
    keys.push((Hue::Store.tint(70), "their results"));
    sheet.legend(0.0, &keys);
}

/// The einsum of an operand's gradient.
fn gradient(sheet: &mut Sheet, einsum: &Einsum, operand: usize) {
    let name = NAMES[operand];
    let Some((gradient, same)) = einsum.gradient(operand) else {
        let said = format!("d{name} is 0 but on the diagonal, and dc there");
        sheet.say(&format!("{said}."));
        return sheet.line(13.0, Ink::Muted, &said);
    };
    let others = NAMES.iter().enumerate().take(einsum.operands.len()).filter(|(at, _)| *at != operand);
    let others: String = others.map(|(_, name)| format!(", {name}")).collect();
    let along = match same.as_slice() {
        [] => String::new(),
        same => format!("  # the same along {}", same.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    let words = format!("d{name} = einsum(\"{}\", dc{others}){along}", gradient.written());
    sheet.say(&format!("{words}."));
    code(sheet, Ink::Text, &words);
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "einsum",
    tab: "Einsum",
    controls: &[Control::Letters],
    controls_first: true,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        sheet.y += LINE / 4.0;
        draw(sheet, &view.at.text);
        String::new()
    },
};
