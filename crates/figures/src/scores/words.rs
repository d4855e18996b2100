//! The words of the picture of the square: where the launch is, which maximum grew, the meaning of the colours.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::frame::{Anchor, Frame};
use super::super::kit::MARGIN;
use super::super::kit::SideCard;
use super::super::kit::legend::{Key, legend};
use super::super::palette::{Hue, Ink};
use super::draw::{AT_REST, GONE, LOW};
use super::square::{Now, Square, Tile};
use crate::base::units::{count, digits3};

/// The picture's words: on the card, or above and below the square.
pub(super) fn words(
    frame: &mut Frame,
    square: &Square<'_>,
    (card, elsewhere): (Option<[f32; 4]>, &str),
    tick: usize,
    grown: &[(usize, [f64; 2])],
    hue: Hue,
) {
    let [rows, keys] = square.size;
    let [called_rows, called_columns] = square.called.each_ref().map(String::as_str);
    let block = &square.blocks[square.block_at(tick)];
    let tile = square.tile_at(tick).map(|at| &square.tiles[at]);
    let stays = square.stays();
    let scores = if stays {
        distinct(square, |tile| square.is_in_memory(tile, tick))
    } else {
        tile.map_or(0, |tile| area(square, tile))
    };
    let title = format!("{} scores {}", count(scores), if stays { "in memory" } else { "alive" });
    let of = format!("of the square's {}", count(rows * keys));
    let span = |range: &Range<u64>| match range.end - range.start {
        1 => count(range.start),
        _ => format!("{}–{}", count(range.start), count(range.end - 1)),
    };
    let said = done(square, tick);
    let largest = grown.iter().max_by(|(_, a), (_, b)| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    let rescaled = largest.map(|(row, [before, now])| {
        let query = count(block.rows.start + *row as u64);
        (query, format!("{} to {}", digits3(*before), digits3(*now)), digits3((before - now).exp()))
    });
    let grew = format!("m grew in {} of {} queries", grown.len(), block.rows.end - block.rows.start);
    let never = (rows * keys).saturating_sub(distinct(square, |_| true));
    let all = keys_of(square, hue, stays, never > 0);
    if let Some(rect) = card {
        let mut card = SideCard::new(frame, rect);
        card.title(Some(hue.ink()), &title);
        card.says(&format!("{of}."));
        card.section("now");
        card.row(called_rows, &span(&block.rows));
        card.row(called_columns, &tile.map_or_else(|| "none yet".to_owned(), |tile| span(&tile.keys)));
        card.says(&said);
        if !elsewhere.is_empty() {
            card.section("not traced");
            card.says(elsewhere);
        }
        if let Some((query, m, factor)) = &rescaled {
            card.section(&grew);
            card.row(&format!("m of query {query}"), m);
            card.row("so its d and O are", &format!("× {factor}"));
        }
        card.legend(&all);
        card.finish();
    } else {
        let room = frame.width - 2.0 * MARGIN;
        let is_low = frame.height < LOW;
        let head = if is_low { title.clone() } else { format!("{title} {of}") };
        let size = if is_low { 13.0 } else { 16.0 };
        frame.fitted([MARGIN, MARGIN], size, Anchor::Start, Ink::Text, room, &head);
        if !is_low {
            let place = tile.map_or_else(String::new, |tile| format!(", {called_columns} {}", span(&tile.keys)));
            let line = format!("{called_rows} {}{place}: {said}", span(&block.rows));
            frame.fitted([MARGIN, MARGIN + 22.0], 12.0, Anchor::Start, Ink::Muted, room, &line);
            let bottom = frame.height - MARGIN;
            legend(frame, MARGIN, bottom, room, &all);
        }
    }
    let place = tile.map_or_else(String::new, |tile| format!(", {called_columns} {}", span(&tile.keys)));
    let mut alt = format!("{title} {of}. Now {called_rows} {}{place}: {said}.", span(&block.rows));
    if let Some((query, m, factor)) = rescaled {
        alt += &format!(" {grew}. Query {query}: m {m}, so d and O are multiplied by {factor}.");
    }
    if never > 0 {
        alt += &format!(" {} scores are in tiles that are never loaded.", count(never));
    }
    if square.course.truncated {
        alt += " The record is cut at its cap.";
    }
    frame.alt = alt;
}

/// The legend of what the picture has.
fn keys_of(square: &Square<'_>, hue: Hue, stays: bool, never: bool) -> Vec<Key<'static>> {
    // The last ones may find no room.
    let mut all = Vec::new();
    if !stays {
        all.push(Key::new(hue.ink(), "on the chip"));
        all.push(Key::new(hue.tint(GONE), "gone").edge(hue.tint(AT_REST)));
    }
    if never {
        all.push(Key::new(Ink::Faint, "untouched"));
    }
    if square.names.max.is_some() {
        all.push(Key::new(Ink::Accent, "m grew"));
    }
    all.push(Key::new(Ink::Load, "loaded now"));
    if stays || square.names.o.is_some() {
        all.push(Key::new(Ink::Store, "stored"));
    }
    all
}

/// Scores of all tiles of which this holds; those that several tiles have are counted once.
fn distinct(square: &Square<'_>, is: impl Fn(&Tile) -> bool) -> u64 {
    let span = |range: &Range<u64>| (range.start, range.end);
    let of = |tile: &&Tile| (span(&square.blocks[tile.block].rows), span(&tile.keys));
    let tiles: BTreeMap<_, _> = square.tiles.iter().filter(|tile| is(tile)).map(|tile| (of(&tile), tile)).collect();
    tiles.into_values().map(|tile| area(square, tile)).sum()
}

/// Scores of a tile.
fn area(square: &Square<'_>, tile: &Tile) -> u64 {
    let rows = &square.blocks[tile.block].rows;
    (rows.end - rows.start) * (tile.keys.end - tile.keys.start)
}

/// The events of a tick, in words.
fn done(square: &Square<'_>, tick: usize) -> String {
    let Now { q, k, v, scores, max, sum, out, stored } = square.now(tick);
    let tile = square.tile_at(tick).map(|at| &square.tiles[at]);
    let before = tile.is_some_and(|tile| (tile.ticks.start..tick).any(|tick| square.now(tick).scores));
    let [of_rows, of_columns] = square.letters().map(|letter| format!("{letter} is loaded"));
    let parts = [
        (q, of_rows.as_str()),
        (k, of_columns.as_str()),
        (scores && !before, "scores are written"),
        (scores && before, "scores become exponentials"),
        (max || sum, "m and d are updated"),
        (v, "V is loaded"),
        (out, "O takes in the tile"),
        (stored, "O is stored"),
    ];
    let said: Vec<&str> = parts.into_iter().filter(|(is, _)| *is).map(|(_, words)| words).collect();
    if said.is_empty() { "works on what it has".to_owned() } else { said.join(", ") }
}
