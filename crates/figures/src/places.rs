//! Where things are: a box for each level, from the outer to the inner one, in a column for each kernel; what differs has an edge.

use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame};
use super::kit::{Board, Room};
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::text;

/// Size of the words, and the height of a line of them.
const SIZE: f32 = 13.0;
const LINE: f32 = 17.0;
/// Height of the columns' names.
const HEAD: f32 = 28.0;
/// Space between boxes.
const GAP: f32 = 8.0;
/// The most of the width that the levels' names take, and the greatest height of a box.
const NAMES: f32 = 0.24;
const MOST: f32 = 110.0;

static CARD: Card = Card {
    name: "Places",
    tab: "Places",
    help: "Where things are: registers, shared memory, global memory, kernel beside kernel",
    about: "where things are",
    clock: Clock::Still,
    fits: |_| true,
    needs: "give columns, levels and cells",
    args: &[
        Arg::required("columns", ArgKind::Texts, "the columns' names"),
        Arg::required("levels", ArgKind::Texts, "the levels' names, from top to bottom"),
        Arg::required(
            "cells",
            ArgKind::Texts,
            "what is in each level of each column: all columns of the first level, then of the next",
        ),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        let (columns, levels, cells) = (view.texts("columns"), view.texts("levels"), view.texts("cells"));
        if columns.is_empty() || levels.is_empty() || cells.len() != columns.len() * levels.len() {
            return Err(format!(
                "{} cells are given for {} columns of {} levels.",
                cells.len(),
                columns.len(),
                levels.len()
            )
            .into());
        }
        Ok(drawn(view.size, &columns, &levels, &cells))
    }
}

fn drawn(size: [f32; 2], columns: &[String], levels: &[String], cells: &[String]) -> Frame {
    let mut board = Board::new(size);
    let room = board.room();
    let frame = &mut board.frame;
    let widest = levels.iter().map(|level| text::width(level, SIZE, false)).fold(0.0, f32::max);
    let left = room.left + widest.min(room.wide() * NAMES) + 12.0;
    let wide = ((room.right - left) / columns.len() as f32).min(420.0);
    let high = ((room.high() - HEAD) / levels.len() as f32).min(MOST);
    for (i, name) in columns.iter().enumerate() {
        let at = [left + wide * i as f32 + (wide - GAP) / 2.0, room.top + HEAD / 2.0];
        frame.fitted(at, 14.0, Anchor::Middle, Ink::Text, wide - GAP, name);
    }
    for (row, level) in levels.iter().enumerate() {
        let top = room.top + HEAD + high * row as f32;
        let middle = top + (high - GAP) / 2.0;
        let lines = text::wrap(level, SIZE, left - 12.0 - room.left);
        let first = middle - LINE * (lines.len() as f32 - 1.0) / 2.0;
        for (i, line) in lines.iter().enumerate() {
            let at = [left - 12.0, first + LINE * i as f32];
            frame.fitted(at, SIZE, Anchor::End, Ink::Muted, left - 11.0 - room.left, line);
        }
        let of = &cells[row * columns.len()..(row + 1) * columns.len()];
        let differs = of.iter().any(|cell| *cell != of[0]);
        for (i, cell) in of.iter().enumerate() {
            let place = Room {
                left: left + wide * i as f32,
                top,
                right: left + wide * (i + 1) as f32 - GAP,
                bottom: top + high - GAP,
            };
            draw_cell(frame, place, cell, differs);
        }
    }
    let said = levels.iter().enumerate().flat_map(|(row, level)| {
        let of = &cells[row * columns.len()..(row + 1) * columns.len()];
        columns.iter().zip(of).map(move |(column, cell)| format!("{level}, {column}: {cell}"))
    });
    let said: Vec<String> = said.collect();
    board.finish(format!("{}.", said.join("; ")))
}

/// A box with its words, in as many lines as it has room for.
fn draw_cell(frame: &mut Frame, place: Room, words: &str, differs: bool) {
    let rect = [place.left, place.top, place.wide(), place.high()];
    let (fill, edge) = match differs {
        true => (Hue::Accent.tint(14), Ink::Accent),
        false => (Ink::Raised, Ink::Faint),
    };
    frame.outline(rect, 4.0, Some(fill), edge, None);
    let room = place.wide() - 12.0;
    let fits = ((place.high() - 4.0) / LINE).max(1.0) as usize;
    let mut lines = text::wrap(words, SIZE, room);
    if lines.len() > fits {
        let rest = lines.split_off(fits - 1).join(" ");
        lines.push(text::fit(&rest, SIZE, false, room));
    }
    let first = place.top + (place.high() - LINE * (lines.len() as f32 - 1.0)) / 2.0;
    for (i, line) in lines.iter().enumerate() {
        let at = [place.left + place.wide() / 2.0, first + LINE * i as f32];
        frame.fitted(at, SIZE, Anchor::Middle, Ink::Text, room + 1.0, line);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, picture_of};
    use super::super::frame::Item;
    use super::*;
    use crate::Results;
    use crate::lesson::ArgValue;

    #[test]
    fn a_level_that_differs_has_an_edge() {
        let texts = |texts: &[&str]| ArgValue::Texts(texts.iter().map(|text| (*text).to_owned()).collect());
        let args = [
            ("columns", texts(&["one kernel", "another kernel"])),
            ("levels", texts(&["global memory", "shared memory"])),
            ("cells", texts(&["Q, K, V", "Q, K, V", "K, V and the scores of a tile", "K, V"])),
        ];
        let picture = picture_of("Places", &args);
        let results = Results::default();
        for size in [[320.0, 200.0], [650.0, 300.0], [1400.0, 700.0]] {
            let frame = drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            let edges = frame.items.iter().filter_map(|item| match item {
                Item::Rect { stroke: Some((ink, _)), .. } => Some(*ink),
                _ => None,
            });
            assert_eq!(edges.collect::<Vec<_>>(), [Ink::Faint, Ink::Faint, Ink::Accent, Ink::Accent]);
        }
        let short = picture_of("Places", &args[..2]);
        assert!(Fig.draw(&View::still(&results, &short, [400.0, 300.0]), &mut Kept::default()).is_err());
    }
}
