//! Draws the square of scores at a tick, with what is kept beside it.

use super::super::figure::View;
use super::super::frame::{Anchor, Frame, Grid, Item};
use super::super::kit::MARGIN;
use super::super::palette::{Hue, Ink};
use super::square::{Block, NOTHING, Square, Tile};
use super::words::words;
use crate::base::tensor::Tensor;
use crate::trace::Cells;

/// Height above the square with the bars of keys and values, and below it.
const HEAD: f32 = 58.0;
/// The same in a picture without a card: there are lines above and below.
const LINES: [f32; 2] = [50.0, 28.0];
/// And in one lower than this, which has a title alone.
pub(super) const LOW: f32 = 220.0;
const TITLE: [f32; 2] = [22.0, 0.0];
/// A picture of this width has a card, which is so wide.
const CARD: [f32; 2] = [560.0, 224.0];
/// The bars of queries, keys and values are this thick, and this far from the square.
const BAR: f32 = 12.0;
const GAP: f32 = 6.0;
/// Room left of the square, for the queries and their name.
const LEFT: f32 = 40.0;
/// The least and the largest width of the maxima, and of the denominators.
const NARROW: [f32; 2] = [20.0, 56.0];
/// Space before the first column beside the square, and between columns.
const BESIDE: [f32; 2] = [20.0, 12.0];
/// The share of the square's side that the results take.
const RESULTS: f32 = 0.36;
/// Cells that the pointer can be on, down and across, at most.
const MOST_CELLS: u64 = 4096;
/// Distinguishable strengths of a tint.
const LEVELS: u8 = 20;
/// How strongly things are tinted that are there, but not now, in percent; and those that are gone.
pub(super) const AT_REST: u8 = 32;
pub(super) const GONE: u8 = 14;

/// The places of the picture's parts.
struct Places {
    /// Left and top of the square, and its side.
    square: [f32; 3],
    /// Left and width of the columns beside it: maxima, denominators, results.
    columns: [[f32; 2]; 3],
    /// Points of a row of the square, and of a column.
    pitch: [f32; 2],
    /// The card on the right, if there is room.
    card: Option<[f32; 4]>,
}

impl Places {
    fn of(square: &Square<'_>, [width, height]: [f32; 2]) -> Self {
        let names = square.names;
        let has = [names.max, names.sum, names.out.or(names.o)].map(|name| name.is_some());
        let is_wide = width >= CARD[0];
        let card = if is_wide { CARD[1] + ((width - 1000.0) * 0.2).clamp(0.0, 56.0) } else { 0.0 };
        let [above, below] = match (is_wide, height < LOW) {
            (true, _) => [MARGIN * 0.5, MARGIN],
            (false, true) => TITLE,
            (false, false) => [LINES[0], LINES[1] + MARGIN],
        };
        let top = above + HEAD - if names.k.is_some() && names.v.is_some() { 0.0 } else { BAR + 5.0 };
        let narrow = (width * 0.035).clamp(NARROW[0], NARROW[1]);
        let count = has.iter().filter(|has| **has).count() as f32;
        let gaps = if count > 0.0 { BESIDE[0] + BESIDE[1] * (count - 1.0) } else { 0.0 };
        let fixed = LEFT + gaps + narrow * (f32::from(has[0]) + f32::from(has[1]));
        let share = 1.0 + if has[2] { RESULTS } else { 0.0 };
        let room = width - 2.0 * MARGIN - card - if is_wide { 24.0 } else { 0.0 };
        let side = ((room - fixed) / share).min(height - top - below).max(40.0).floor();
        let left = (MARGIN + LEFT + ((room - fixed - side * share) / 2.0).max(0.0)).floor();
        let mut x = left + side + BESIDE[0];
        let wide = [narrow, narrow, (side * RESULTS).floor()].map(f32::floor);
        let columns = [0, 1, 2].map(|i| {
            let column = [x, wide[i]];
            x += if has[i] { wide[i] + BESIDE[1] } else { 0.0 };
            column
        });
        let top = (top + ((height - top - below - side) / 2.0).max(0.0)).floor();
        let pitch = square.size.map(|elements| side / elements.max(1) as f32);
        let card = is_wide.then_some([width - MARGIN - card, MARGIN, card, height - 2.0 * MARGIN]);
        Self { square: [left, top, side], columns, pitch, card }
    }

    /// Top and height of some rows.
    fn rows(&self, block: &Block) -> [f32; 2] {
        let [_, top, _] = self.square;
        [top + block.rows.start as f32 * self.pitch[0], (block.rows.end - block.rows.start) as f32 * self.pitch[0]]
    }

    fn tile(&self, block: &Block, tile: &Tile) -> [f32; 4] {
        let [y, h] = self.rows(block);
        let x = self.square[0] + tile.keys.start as f32 * self.pitch[1];
        [x, y, (tile.keys.end - tile.keys.start) as f32 * self.pitch[1], h]
    }
}

/// The picture of the view's moment.
pub(super) fn draw(square: &Square<'_>, view: &View<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    let places = Places::of(square, view.size);
    let tick = square.tick(view.position);
    let hue = if square.stays() { Hue::Store } else { Hue::Shared };
    tiles(&mut frame, square, &places, view, tick, hue);
    inputs(&mut frame, square, &places, tick);
    let grown: Vec<(usize, [f64; 2])> =
        square.maxima(tick).into_iter().filter(|(_, [before, now])| now > before).collect();
    beside(&mut frame, square, &places, view, tick, &grown);
    words(&mut frame, square, (places.card, view.picture.text("elsewhere")), tick, &grown, hue);
    frame
}

/// The square with its tiles.
fn tiles(frame: &mut Frame, square: &Square<'_>, places: &Places, view: &View<'_>, tick: usize, hue: Hue) {
    let [left, top, side] = places.square;
    let stays = square.stays();
    let contents = if stays { stored(square, view) } else { None };
    for block in &square.blocks {
        // Scores outside all tiles are never loaded.
        let [y, h] = places.rows(block);
        boxed(frame, [left, y, side, h], 0.0, Some(Ink::Faint), Ink::Faint);
    }
    for tile in &square.tiles {
        let block = &square.blocks[tile.block];
        let rect = places.tile(block, tile);
        let is_now = tile.ticks.contains(&tick);
        let is_over = tile.ticks.end <= tick;
        if is_now {
            let scores = match &contents {
                Some(contents) => square.is_in_memory(tile, tick).then(|| contents.of(square, tile)),
                None => square.scores(tile, tick),
            };
            boxed(frame, rect, 0.0, Some(Ink::Panel), hue.ink());
            if let Some(scores) = scores {
                cells(frame, rect, tile, &scores, hue);
            }
        } else if stays && square.is_in_memory(tile, tick) {
            boxed(frame, rect, 0.0, Some(hue.tint(AT_REST)), Ink::Panel);
            if let Some(contents) = &contents {
                cells(frame, rect, tile, &contents.of(square, tile), hue);
            }
        } else if is_over {
            boxed(frame, rect, 0.0, Some(hue.tint(GONE)), Ink::Panel);
        } else {
            boxed(frame, rect, 0.0, Some(Ink::Panel), Ink::Faint);
        }
    }
    if let Some(tile) = square.tile_at(tick).map(|at| &square.tiles[at]) {
        let [x, y, w, h] = places.tile(&square.blocks[tile.block], tile);
        frame.items.push(Item::Rect {
            rect: [x, y, w, h],
            radius: 0.0,
            fill: None,
            stroke: Some((Ink::Accent, 2.5)),
            tag: None,
        });
    }
    let [rows, keys] = square.size;
    let cells = Cells::of(rows * keys, keys, MOST_CELLS);
    frame.grids.push(Grid { buffer: 0, rect: [left, top, side, side], cells });
}

/// A box with its edge; one that is too thin for an edge is filled.
fn boxed(frame: &mut Frame, rect: [f32; 4], radius: f32, fill: Option<Ink>, edge: Ink) {
    let [x, y, w, h] = rect;
    if w.min(h) < 3.0 {
        frame.fill([x, y, w.max(0.5), h.max(0.5)], 0.0, fill.unwrap_or(edge), None);
    } else {
        frame.outline(rect, radius, fill, edge, None);
    }
}

/// The scores in a buffer after the launch.
struct Stored<'a> {
    tensor: &'a Tensor,
}

fn stored<'a>(square: &Square<'_>, view: &View<'a>) -> Option<Stored<'a>> {
    let (reel, _) = view.reel(&super::Fig).ok()?;
    let (pass, launch) = square.course.launch;
    let frames = reel.film.frame_of(pass, launch).map_or(reel.film.frames.len(), |frame| frame + 1);
    Some(Stored { tensor: reel.after(view.picture.text("scores"), frames)? })
}

impl Stored<'_> {
    fn of(&self, square: &Square<'_>, tile: &Tile) -> Vec<f64> {
        let block = &square.blocks[tile.block];
        let [rows, keys] = square.size;
        let first = square.head * rows * keys;
        let row = |row: u64| tile.keys.clone().map(move |key| (first + row * keys + key) as usize);
        let value = |i: usize| if i < self.tensor.len() { self.tensor.get(i) } else { f64::NAN };
        block.rows.clone().flat_map(row).map(value).collect()
    }
}

/// The cells of a tile, each as strong as its score is high among the tile's; masked ones are empty.
fn cells(frame: &mut Frame, rect: [f32; 4], tile: &Tile, scores: &[f64], hue: Hue) {
    let across = ((tile.keys.end - tile.keys.start) as usize).max(1);
    let known = |score: f64| score.is_finite() && score > NOTHING;
    let all = scores.iter().copied().filter(|score| known(*score));
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), s| (low.min(s), high.max(s)));
    shades(frame, rect, [scores.len() / across, across], hue, |row, column| {
        let score = Some(scores[row * across + column]).filter(|score| known(*score))?;
        Some(0.2 + 0.8 * if high > low { (score - low) / (high - low) } else { 1.0 })
    });
}

/// A matrix of these rows and columns as tints of a hue, of the strengths that `share` gives; neighbours that look the same are one.
fn shades(
    frame: &mut Frame,
    [x, y, w, h]: [f32; 4],
    [down, across]: [usize; 2],
    hue: Hue,
    share: impl Fn(usize, usize) -> Option<f64>,
) {
    // Cells of less than two points are gathered: one of each group is drawn.
    let step = |elements: usize, room: f32| ((2.0 * elements as f32 / room).ceil() as usize).max(1);
    let [rows, columns] = [step(down, h), step(across, w)];
    let edge = |i: usize, of: usize, from: f32, room: f32| (from + room * i.min(of) as f32 / of as f32).round();
    for row in (0..down).step_by(rows) {
        let [top, bottom] = [row, row + rows].map(|i| edge(i, down, y, h));
        let mut run: Option<(usize, u8)> = None;
        for column in (0..across).step_by(columns).chain([across]) {
            let level = (column < across).then(|| share(row, column)).flatten();
            let level = level.map(|share| ((share * f64::from(LEVELS)).round() as u8).min(LEVELS) * (100 / LEVELS));
            if level == run.map(|(_, level)| level) && column < across {
                continue;
            }
            if let Some((from, level)) = run {
                let [left, right] = [from, column].map(|i| edge(i, across, x, w));
                if right > left && bottom > top {
                    frame.fill([left, top, right - left, bottom - top], 0.0, hue.tint(level), None);
                }
            }
            run = level.map(|level| (column, level));
        }
    }
}

/// The queries left of the square; the keys and the values above it. What is loaded in the tick is lit.
fn inputs(frame: &mut Frame, square: &Square<'_>, places: &Places, tick: usize) {
    let [left, top, side] = places.square;
    let now = square.now(tick);
    let current = square.block_at(tick);
    let x = left - GAP - BAR;
    for at in square.drawn(tick) {
        let [y, h] = places.rows(&square.blocks[at]);
        let ink = if at == current { Ink::Load } else { Hue::Load.tint(AT_REST) };
        boxed(frame, [x, y, BAR, h], 2.0, Some(ink), Ink::Panel);
    }
    frame.text([x - GAP, top + side / 2.0], 14.0, Anchor::End, Ink::Text, square.letters()[0].clone());
    let tile = square.tile_at(tick).map(|at| &square.tiles[at]);
    let mut spans: Vec<_> = square.tiles.iter().map(|tile| tile.keys.clone()).collect();
    spans.sort_unstable_by_key(|keys| (keys.start, keys.end));
    spans.dedup();
    let [_, of_columns] = square.letters();
    let bars = [(now.k, of_columns.as_str(), square.names.k), (now.v, "V", square.names.v)];
    let shown: Vec<_> = bars.into_iter().filter(|(.., name)| name.is_some()).collect();
    for (up, (lit, name, _)) in shown.iter().rev().enumerate() {
        let y = top - GAP - BAR - up as f32 * (BAR + 5.0);
        for keys in &spans {
            let [from, to] = [keys.start, keys.end].map(|key| left + key as f32 * places.pitch[1]);
            let is_here = *lit && tile.is_some_and(|tile| tile.keys == *keys);
            let ink = if is_here { Ink::Load } else { Hue::Load.tint(AT_REST) };
            boxed(frame, [from, y, to - from, BAR], 2.0, Some(ink), Ink::Panel);
        }
        frame.text([left - GAP, y + BAR / 2.0], 14.0, Anchor::End, Ink::Text, *name);
    }
}

/// The state of each query: the maximum, the denominator, the row of the result.
fn beside(
    frame: &mut Frame,
    square: &Square<'_>,
    places: &Places,
    view: &View<'_>,
    tick: usize,
    grown: &[(usize, [f64; 2])],
) {
    let names = square.names;
    let [_, top, _] = places.square;
    // Without a variable for it, the result is seen once it is stored.
    let result = if names.out.is_some() { "O" } else { "O, stored" };
    let titles = [("m", names.max), ("d", names.sum), (result, names.out.or(names.o))];
    for ((title, name), [x, w]) in titles.iter().zip(places.columns) {
        if name.is_some() {
            frame.text([x + w / 2.0, top - GAP - BAR / 2.0], 14.0, Anchor::Middle, Ink::Text, *title);
        }
    }
    let current = square.block_at(tick);
    for at in square.drawn(tick) {
        let block = &square.blocks[at];
        let is_now = at == current;
        for (i, name) in [names.max, names.sum].into_iter().enumerate().filter(|(_, name)| name.is_some()) {
            let [x, w] = places.columns[i];
            let [y, h] = places.rows(block);
            boxed(frame, [x, y, w, h], 2.0, Some(Ink::Panel), Ink::Faint);
            if let Some((tensor, each)) = square.kept(name, at, tick).filter(|_| is_now) {
                let marked = if i == 0 { grown } else { &[] };
                bars(frame, [x, y, w, h], block, (tensor, each), marked);
            }
        }
        let Some(name) = names.out.or(names.o) else { continue };
        let [x, w] = places.columns[2];
        let [y, h] = places.rows(block);
        let is_stored = square.is_stored(at, tick);
        let rect = [x, y, w, h];
        boxed(frame, rect, 2.0, Some(Ink::Panel), Ink::Faint);
        let hue = if is_stored { Hue::Store } else { Hue::Shared };
        let kept = square.kept(names.out, at, tick).filter(|_| is_now || is_stored);
        match (kept, is_stored) {
            (Some((tensor, each)), _) => results(frame, rect, block, (tensor, 0, each), hue),
            (None, true) => {
                let all = film(square, view, name);
                match all {
                    Some((tensor, each)) => {
                        let first = (square.head * square.size[0] + block.rows.start) as usize * each;
                        results(frame, rect, block, (tensor, first, each), hue);
                    }
                    None => frame.fill([x, y, w, h - 1.0], 2.0, hue.tint(AT_REST), None),
                }
            }
            (None, false) => {}
        }
        // A mark at each row that is rescaled.
        for (row, _) in grown.iter().filter(|_| is_now) {
            let y = y + *row as f32 * places.pitch[0];
            frame.fill([x - 6.0, y.round(), 4.0, places.pitch[0].round().max(1.0)], 0.0, Ink::Accent, None);
        }
    }
}

/// The results in their buffer after the launch, with the elements of a row.
fn film<'a>(square: &Square<'_>, view: &View<'a>, o: u16) -> Option<(&'a Tensor, usize)> {
    let (reel, _) = view.reel(&super::Fig).ok()?;
    let (pass, launch) = square.course.launch;
    let frame = reel.film.frame_of(pass, launch)?;
    let each = square.course.variables.get(usize::from(o))?.columns as usize;
    Some((reel.after(view.picture.text("o"), frame + 1)?, each.max(1)))
}

/// A bar for each query: as long as its number is large among the block's. Queries whose maximum grew have the accent.
fn bars(
    frame: &mut Frame,
    [x, y, w, h]: [f32; 4],
    block: &Block,
    (tensor, each): (&Tensor, usize),
    grown: &[(usize, [f64; 2])],
) {
    let rows = (block.rows.end - block.rows.start) as usize;
    let values: Vec<f64> = (0..rows).map(|i| i * each).filter(|i| *i < tensor.len()).map(|i| tensor.get(i)).collect();
    let known = || values.iter().copied().filter(|value| value.is_finite() && *value > NOTHING);
    let (low, high) = known().fold((0.0, 0.0), |(low, high): (f64, f64), v| (low.min(v), high.max(v)));
    for (i, value) in values.iter().enumerate().filter(|(_, value)| value.is_finite() && **value > NOTHING) {
        let share = if high > low { ((value - low) / (high - low)) as f32 } else { 0.0 };
        let [top, bottom] = [i, i + 1].map(|i| (y + h * i as f32 / rows as f32).round());
        let is_grown = grown.iter().any(|(row, _)| *row == i);
        let ink = if is_grown { Ink::Accent } else { Ink::Shared };
        frame.fill([x + 1.0, top, ((w - 2.0) * share).max(2.0), (bottom - top - 1.0).max(1.0)], 0.0, ink, None);
    }
}

/// The results of a block's queries, each as strong as it is far from zero; `first` is the block's first element.
fn results(frame: &mut Frame, rect: [f32; 4], block: &Block, (tensor, first, each): (&Tensor, usize, usize), hue: Hue) {
    let rows = (block.rows.end - block.rows.start) as usize;
    let value = |row: usize, column: usize| {
        let i = first + row * each + column;
        (i < tensor.len()).then(|| tensor.get(i).abs()).filter(|value| value.is_finite())
    };
    let all = (0..rows * each).filter_map(|i| value(i / each, i % each));
    let most = all.fold(0.0, f64::max);
    shades(frame, rect, [rows, each], hue, |row, column| {
        Some(0.1 + 0.8 * if most > 0.0 { value(row, column)? / most } else { 0.0 })
    });
}
