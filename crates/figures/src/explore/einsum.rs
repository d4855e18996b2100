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
use crate::reference::einsum::{Einsum, Gradient, NAMES, elements, size, values};

/// The largest and the smallest cell.
const CELL: [f32; 2] = [4.0, 15.0];
/// Rows of an operand that are shown at most.
const ROWS: usize = 32;
/// Between two operands.
const GAP: f32 = 20.0;
/// Elements of four bytes in a sector.
const SECTOR: usize = 8;
/// The size of code.
const SIZE: f32 = 14.0;
/// How strong the colour of a tensor is where the lanes of a warp have it at once, and where they have it later.
const NOW: u8 = 70;
const LATER: u8 = 22;

/// A line of code, in parts of one colour each.
type Line = Vec<(Ink, String)>;

/// The colour of an operand, or of the result, which comes after the last one.
fn ink(einsum: &Einsum, at: usize) -> Hue {
    if at == einsum.operands.len() { Hue::Store } else { [Hue::Load, Hue::Shared, Hue::Atomic][at] }
}

/// Draws it, or says why the letters are no einsum.
fn draw(sheet: &mut Sheet, letters: &str) {
    let einsum = match Einsum::read(letters) {
        Ok(einsum) => einsum,
        Err(why) => {
            sheet.line(14.0, Ink::Conflict, &why);
            return sheet.say(&format!("No einsum: {why}."));
        }
    };
    let operands = einsum.operands.len();
    let mut calls = vec![call('c', &einsum, &(0..=operands).collect::<Vec<_>>(), &einsum)];
    sheet.say(&format!("{}:", einsum.written()));
    for operand in 0..operands {
        calls.push(gradient(sheet, &einsum, operand));
    }
    let loops = nest(&einsum);
    let wide = |lines: &[Line]| lines.iter().map(|line| width(line)).fold(0.0, f32::max);
    let right = wide(&calls) + 2.0 * GAP;
    if right + wide(&loops) <= sheet.width {
        let top = sheet.y;
        calls.iter().for_each(|line| code(sheet, 0.0, line));
        let bottom = sheet.y;
        sheet.y = top;
        loops.iter().for_each(|line| code(sheet, right, line));
        sheet.y = sheet.y.max(bottom);
    } else {
        calls.iter().for_each(|line| code(sheet, 0.0, line));
        sheet.y += 8.0;
        loops.iter().for_each(|line| code(sheet, 0.0, line));
    }
    sheet.y += 4.0;
    work(sheet, &einsum);
    sheet.y += 4.0;
    tensors(sheet, &einsum);
}

/// The width of a line of code.
fn width(line: &[(Ink, String)]) -> f32 {
    line.iter().map(|(_, part)| text::width(part, SIZE, true)).sum()
}

/// A line of code from `x` on, as far as there is room.
fn code(sheet: &mut Sheet, mut x: f32, line: &[(Ink, String)]) {
    for (ink, part) in line {
        let part = text::fit(part, SIZE, true, sheet.width - x);
        if part.is_empty() {
            break;
        }
        let (at, wide) = ([x, sheet.y + LINE / 2.0], text::width(&part, SIZE, true));
        let ink = *ink;
        sheet.frame.items.push(Item::Text {
            at,
            size: SIZE,
            anchor: Anchor::Start,
            ink,
            text: part,
            mono: true,
            tag: None,
        });
        x += wide;
    }
    sheet.y += LINE;
}

/// A call such as `da = einsum("ik,jk->ij", dc, b)`. `of` are the places of the operands and of the result in the einsum itself, whose colours they
/// have.
fn call(into: char, einsum: &Einsum, of: &[usize], whole: &Einsum) -> Line {
    let is_gradient = into != 'c';
    let plain = |text: &str| (Ink::Text, text.to_owned());
    let name = |at: usize| if at == whole.operands.len() { "dc".to_owned() } else { NAMES[at].to_string() };
    let into = if is_gradient { format!("d{into} = einsum(\"") } else { format!("{into} = einsum(\"") };
    let mut line = vec![plain(&into)];
    for (place, letters) in einsum.operands.iter().chain([&einsum.result]).enumerate() {
        line.extend(match place {
            0 => None,
            place if place == einsum.operands.len() => Some(plain("->")),
            _ => Some(plain(",")),
        });
        line.push((ink(whole, of[place]).ink(), letters.iter().collect()));
    }
    let names: Vec<String> = of[..einsum.operands.len()].iter().map(|at| name(*at)).collect();
    line.push(plain(&format!("\", {})", names.join(", "))));
    line
}

/// An element, such as `a[i, j]`.
fn element(name: char, letters: &[char]) -> String {
    let letters: Vec<String> = letters.iter().map(ToString::to_string).collect();
    if letters.is_empty() { name.to_string() } else { format!("{name}[{}]", letters.join(", ")) }
}

/// The loops.
fn nest(einsum: &Einsum) -> Vec<Line> {
    let summed = einsum.summed();
    let plain = |text: String| (Ink::Text, text);
    let heading = |indent: &str, letters: &[char], note: &str| {
        let all: Vec<String> = letters.iter().map(|letter| format!("{letter} < {}", size(*letter))).collect();
        vec![plain(format!("{indent}for {}:", all.join(", "))), (Ink::Muted, format!("  # {note}"))]
    };
    let (mut indent, mut lines) = (String::new(), Vec::new());
    if !einsum.result.is_empty() {
        lines.push(heading(&indent, &einsum.result, "a lane each"));
        indent.push_str("  ");
    }
    if !summed.is_empty() {
        lines.push(heading(&indent, &summed, "in the lane"));
        indent.push_str("  ");
    }
    let operator = if summed.is_empty() { " = " } else { " += " };
    let count = einsum.operands.len();
    let mut line =
        vec![plain(indent), (ink(einsum, count).ink(), element('c', &einsum.result)), plain(operator.to_owned())];
    for (at, letters) in einsum.operands.iter().enumerate() {
        line.extend((at > 0).then(|| plain(" * ".to_owned())));
        line.push((ink(einsum, at).ink(), element(NAMES[at], letters)));
    }
    lines.push(line);
    lines
}

/// How much work it is.
fn work(sheet: &mut Sheet, einsum: &Einsum) {
    let summed = einsum.summed();
    let thing = if einsum.operands.len() > 1 { "product" } else { "element" };
    let each = match summed.is_empty() {
        true => format!("one {thing}"),
        false => format!("a sum of {} {thing}s", count(elements(&summed) as u64)),
    };
    let (results, flops) = (count(elements(&einsum.result) as u64), count(einsum.flops() as u64));
    let said = match results.as_str() {
        "1" => format!("one result, {each}: {flops} FLOP"),
        results => format!("{results} results, each {each}: {flops} FLOP"),
    };
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
        // An element has one value for each letter, and those of the result are a lane's.
        let is_read = |place: usize| {
            let here = values(letters, place);
            let value = |letter: char| here.iter().find(|(of, _)| *of == letter).map(|(_, value)| *value);
            let is_one = here.iter().all(|(letter, of)| value(*letter) == Some(*of));
            let is_of = |lane: &Vec<(char, usize)>| lane.iter().all(|(l, of)| value(*l).is_none_or(|here| here == *of));
            is_one && results.iter().any(is_of)
        };
        sheet.y = top;
        let x = at as f32 * (column + GAP);
        let stride = einsum.result.last().map_or_else(String::new, |last| {
            let stride = if at + 1 < count { einsum.stride(at, *last) } else { 1 };
            format!("stride {stride} along {last}, ")
        });
        let sectors = first.iter().map(|place| place / SECTOR).collect::<BTreeSet<_>>().len();
        let cost = format!("{stride}{sectors} sector{}", if sectors == 1 { "" } else { "s" });
        let head = |sheet: &mut Sheet, ink: Ink, size: f32, words: &str| {
            sheet.frame.fitted([x, sheet.y + LINE / 2.0], size, Anchor::Start, ink, column, words);
            sheet.y += LINE - 2.0;
        };
        head(sheet, ink(einsum, at).ink(), 14.0, &element(name, letters));
        head(sheet, Ink::Muted, 12.0, &cost);
        sheet.say(&format!("{}: {cost}.", element(name, letters)));
        let (now, then) = (ink(einsum, at).tint(NOW), ink(einsum, at).tint(LATER));
        let columns = letters.last().map_or(1, |last| size(*last));
        let rows = elements(letters).div_ceil(columns);
        for place in 0..rows.min(ROWS) * columns {
            let ink = match () {
                () if first.contains(&place) => now,
                () if is_read(place) => then,
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
    let first = format!("the first {lanes} lanes, at once");
    let mut keys = vec![(Hue::Idle.tint(NOW), first.as_str())];
    keys.extend((!summed.is_empty()).then_some((Hue::Idle.tint(LATER), "in later steps of their sums")));
    sheet.legend(0.0, &keys);
}

/// The call that gives an operand's gradient.
fn gradient(sheet: &mut Sheet, einsum: &Einsum, operand: usize) -> Line {
    let name = NAMES[operand];
    let Gradient { einsum: gradient, same, is_diagonal } = einsum.gradient(operand);
    let count = einsum.operands.len();
    let of: Vec<usize> =
        std::iter::once(count).chain((0..count).filter(|at| *at != operand)).chain([operand]).collect();
    let mut line = call(name, &gradient, &of, einsum);
    if is_diagonal {
        line.push((Ink::Muted, "  # on the diagonal, 0 elsewhere".to_owned()));
    }
    if !same.is_empty() {
        let along = same.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        line.push((Ink::Muted, format!("  # the same along {along}")));
    }
    let words: String = line.iter().map(|(_, part)| part.as_str()).collect();
    sheet.say(&format!("{words}."));
    line
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
