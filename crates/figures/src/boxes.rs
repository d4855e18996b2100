//! Parts of a whole, nested in each other to scale: a product's tile, a warp's part of it, one instruction's part of that.

use super::answers::Filled;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::Board;
use super::palette::{Hue, Ink};
use super::results::Missing;

/// The share of the picture's width that the boxes take at most.
const WIDE: f32 = 0.55;
/// Space between the boxes and the names, and the greatest distance between two names.
const BESIDE: f32 = 44.0;
const PITCH: f32 = 56.0;
/// The least side of a box.
const LEAST: f32 = 2.0;

static CARD: Card = Card {
    name: "Boxes",
    tab: "Boxes",
    help: "Parts of a whole, nested in each other to scale",
    about: "parts of a whole, to scale",
    clock: Clock::Still,
    fits: |_| true,
    needs: "give names, rows and columns",
    args: &[
        Arg::required("names", ArgKind::Texts, "the parts' names, the whole first"),
        Arg::required("rows", ArgKind::Amounts, "rows of each part: \"{{= bm}}\""),
        Arg::required("columns", ArgKind::Amounts, "columns of each part"),
        Arg::optional("notes", ArgKind::Texts, "words after each part's size"),
        Arg::optional("lit", ArgKind::UpTo(16), "the part that the page is about, counted from 1"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        let (rows, columns) = (view.filled("rows"), view.filled("columns"));
        let parts = parts(view, rows?, columns?).ok_or("The size of a part is not known.")?;
        Ok(drawn(view, &parts))
    }
}

/// A part: its rows and columns, its name, its size and note in words.
struct Part {
    sides: [f32; 2],
    name: String,
    said: String,
}

fn parts(view: &View<'_>, rows: &[Filled], columns: &[Filled]) -> Option<Vec<Part>> {
    let (names, notes) = (view.texts("names"), view.texts("notes"));
    let side = |filled: &Filled| filled.value.filter(|side| side.is_finite() && *side > 0.0);
    let part = |(i, (rows, columns)): (usize, (&Filled, &Filled))| {
        let sides = [side(rows)?, side(columns)?].map(|side| side as f32);
        let size = format!("{} × {}", rows.text, columns.text);
        let said = match notes.get(i).filter(|note| !note.is_empty()) {
            Some(note) => format!("{size}: {note}"),
            None => size,
        };
        Some(Part { sides, name: names.get(i).cloned().unwrap_or_default(), said })
    };
    rows.iter().zip(columns).enumerate().map(part).collect()
}

fn drawn(view: &View<'_>, parts: &[Part]) -> Frame {
    let board = Board::new(view.size);
    let room = board.room();
    let mut board = board;
    let most = |i: usize| parts.iter().map(|part| part.sides[i]).fold(1.0, f32::max);
    let scale = (room.high() / most(0)).min(room.wide() * WIDE / most(1));
    let lit = view.picture.number("lit").map(|lit| lit as usize);
    let left = room.left + most(1) * scale + BESIDE;
    let pitch = (room.high() / parts.len().max(1) as f32).min(PITCH);
    for (i, part) in parts.iter().enumerate() {
        let [high, wide] = part.sides.map(|side| (side * scale).max(LEAST));
        let is_lit = lit == Some(i + 1);
        let hue = if is_lit { Hue::Accent } else { Hue::Load };
        let fill = hue.tint(if is_lit { 60 } else { 14 + 12 * (i.min(5) as u8) });
        let tag = Some(Tag::Spot(i));
        board.frame.outline([room.left, room.top, wide, high], 1.0, Some(fill), hue.ink(), tag);
    }
    for (i, part) in parts.iter().enumerate() {
        let [high, wide] = part.sides.map(|side| (side * scale).max(LEAST));
        // The smallest part first, so that the lines to the names do not cross.
        let y = room.top + pitch * ((parts.len() - i) as f32 - 0.5);
        let from = [room.left + wide, room.top + high.min(room.high())];
        let corner = [from[0] - 1.0, from[1] - 1.0];
        board.frame.line(corner, [left - 6.0, y], 1.0, Ink::Muted, None);
        board.frame.dot(corner, 2.5, Ink::Text, None);
        let space = room.right - left;
        let ink = if lit == Some(i + 1) { Ink::Accent } else { Ink::Text };
        let above = if pitch < 34.0 { 0.0 } else { 9.0 };
        board.frame.fitted([left, y - above], 14.0, Anchor::Start, ink, space, &part.name);
        if above > 0.0 {
            board.frame.fitted([left, y + 9.0], 12.0, Anchor::Start, Ink::Muted, space, &part.said);
        }
    }
    let said: Vec<String> = parts.iter().map(|part| format!("{}, {}", part.name, part.said)).collect();
    board.finish(format!("{}.", said.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::super::ask;
    use super::super::fixtures::{assert_tidy, drawn, picture_of};
    use super::super::frame::Item;
    use super::*;
    use crate::Results;
    use crate::lesson::ArgValue;

    #[test]
    fn boxes_are_nested_to_scale() {
        let texts = |texts: &[&str]| ArgValue::Texts(texts.iter().map(|text| (*text).to_owned()).collect());
        let args = [("names", texts(&["tile", "warp", "instruction"])), ("lit", ArgValue::Number(3.0))];
        let picture = picture_of("Boxes", &args);
        let of = |values: [f64; 3]| {
            let filled = |value: f64| Filled { text: value.to_string(), value: Some(value), from: Vec::new() };
            values.map(filled).to_vec()
        };
        let results = Results::default()
            .with(ask::Filled("rows".into()), of([128.0, 64.0, 16.0]))
            .with(ask::Filled("columns".into()), of([256.0, 64.0, 8.0]));
        for size in [[320.0, 200.0], [650.0, 300.0], [1400.0, 700.0]] {
            let frame = drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            let rect = |spot: usize| {
                let of = |item: &Item| match item {
                    Item::Rect { rect, tag: Some(Tag::Spot(of)), .. } if *of == spot => Some(*rect),
                    _ => None,
                };
                frame.items.iter().find_map(of).expect("each part is drawn")
            };
            let [tile, warp] = [rect(0), rect(1)];
            // An edge is half a point within its box.
            assert!((tile[2] / warp[2] - 4.0).abs() < 0.15 && (tile[3] / warp[3] - 2.0).abs() < 0.15);
            assert_eq!(frame.alt, "tile, 128 × 256; warp, 64 × 64; instruction, 16 × 8.");
        }
    }
}
