//! A variable of workgroup memory as it lies in banks, row by row, and the wavefronts that serve an access of it.

use super::event::WarpView;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::results::Missing;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::banks::{Served, said, serve};
use super::frame::{Anchor, Frame, Item, Tag};
use super::kit::Key;
use super::kit::legend::{hatch, legend};
use super::message::message;
use super::palette::Ink;
use super::wavefronts::{self, Look};
use super::{event, memory_tooltip, text, warp};
use crate::base::units::count;
use crate::trace::banks::BANKS;
use crate::trace::{EventKind, Space, Timeline, TracedBuffer};

/// How strongly a word is tinted that is not asked for, in percent; and beside those of a bank that the pointer is on.
const REST: u8 = 52;
const DIM: u8 = 14;
/// The room of row numbers, and of the wavefronts', on the left of each part.
const GUTTER: f32 = 46.0;
/// Space between the two parts.
const GAP: f32 = 16.0;
/// The most that a word measures, either way.
const LARGE: f32 = 20.0;
/// Rows and columns that are shown at most, and the least that one measures.
const MOST: [u64; 2] = [96, 160];
const LEAST: f32 = 2.0;

/// By variable, which of its words a workgroup ever touches; kept from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    timeline: Arc<Timeline>,
    workgroup: u32,
    touched: Vec<Vec<bool>>,
}

impl Tiles {
    fn go_to(&mut self, timeline: &Arc<Timeline>, workgroup: u32) {
        if Arc::ptr_eq(&self.timeline, timeline) && self.workgroup == workgroup {
            return;
        }
        let words = |traced: &TracedBuffer| if traced.space == Space::Shared { traced.bytes.div_ceil(4) } else { 0 };
        let mut touched: Vec<Vec<bool>> =
            timeline.buffers.iter().map(|traced| vec![false; usize::try_from(words(traced)).unwrap_or(0)]).collect();
        for event in timeline.events.iter().filter(|event| event.workgroup == workgroup) {
            let EventKind::Access { buffer, bytes_per_lane, .. } = event.kind else { continue };
            let Some(touched) = touched.get_mut(usize::from(buffer)) else { continue };
            for address in timeline.addresses(event) {
                let first = *address as usize / 4;
                let each = usize::from(bytes_per_lane).div_ceil(4).max(1);
                touched.iter_mut().skip(first).take(each).for_each(|touched| *touched = true);
            }
        }
        *self = Self { timeline: timeline.clone(), workgroup, touched };
    }
}

/// How a variable lies in rows, in words of 4 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    name: String,
    /// Its first word's place in workgroup memory.
    base: u64,
    words: u64,
    /// From a row to the next.
    pitch: u64,
    /// Whether the rows are the source's own; else a row has a word of each bank.
    declared: bool,
}

impl Shape {
    fn of(traced: &TracedBuffer) -> Self {
        let declared = traced.columns.map(|columns| columns * traced.elem.bytes());
        // Rows that end within a word cannot be drawn in words.
        let declared = declared.filter(|bytes| *bytes > 0 && bytes.is_multiple_of(4));
        Self {
            name: traced.name.clone(),
            base: u64::from(traced.base) / 4,
            words: traced.bytes.div_ceil(4),
            pitch: declared.map_or(u64::from(BANKS), |bytes| bytes / 4),
            declared: declared.is_some(),
        }
    }

    fn rows(&self) -> u64 {
        self.words.div_ceil(self.pitch).max(1)
    }

    fn columns(&self) -> u64 {
        self.pitch.min(self.words).max(1)
    }

    fn bank(&self, word: u64) -> u8 {
        ((self.base + word) % u64::from(BANKS)) as u8
    }

    /// A description of a row, in a sentence.
    fn told(&self) -> String {
        if !self.declared {
            return format!("{} is no array of rows: it is drawn in rows of 32 words, one of each bank.", self.name);
        }
        let on = match self.pitch % u64::from(BANKS) {
            0 => "lies in the same bank".to_owned(),
            1 => "lies 1 bank on".to_owned(),
            n => format!("lies {n} banks on"),
        };
        format!("A row of {} has {} words, so the word below {on}.", self.name, count(self.pitch))
    }
}

/// The event that is shown of a warp's: the last access of workgroup memory up to the one on the stage, or else the first after it.
fn shown(timeline: &Timeline, position: f32, events: &[usize]) -> Option<(usize, usize)> {
    let ordinal = (position.max(0.0) as usize).min(events.len().checked_sub(1)?);
    let is_shared = |at: &usize| match timeline.events[events[*at]].kind {
        EventKind::Access { buffer, .. } => {
            timeline.buffers.get(usize::from(buffer)).is_some_and(|traced| traced.space == Space::Shared)
        }
        EventKind::Barrier | EventKind::Branch { .. } | EventKind::Subgroup { .. } => false,
    };
    let found = (0..=ordinal).rev().find(is_shared).or_else(|| (ordinal..events.len()).find(is_shared))?;
    Some((ordinal, found))
}

/// The picture.
pub(super) fn frame(tiles: &mut Tiles, view: &WarpView<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    let timeline = view.timeline;
    let events: Vec<usize> = timeline.of_warp(view.workgroup, view.warp).collect();
    if events.is_empty() {
        return warp::frame(view);
    }
    let Some((ordinal, at)) = shown(timeline, view.position, &events) else {
        message(
            &mut frame,
            "No access of workgroup memory",
            "This warp touches none of its workgroup's variables. Choose another warp, or a kernel that does.",
        );
        return frame;
    };
    tiles.go_to(timeline, view.workgroup);
    let event = &timeline.events[events[at]];
    let EventKind::Access { buffer, .. } = event.kind else { return frame };
    let Some(traced) = timeline.buffers.get(usize::from(buffer)) else { return frame };
    let never = tiles.touched.get(usize::from(buffer)).map(Vec::as_slice).unwrap_or_default();
    let shape = Shape::of(traced);
    let served = serve(timeline, event);
    let moment = event::moment(view, &events, ordinal);
    let margin = if view.size[0] < 560.0 { 8.0 } else { 16.0 };
    // The heading is of the access that is drawn.
    let drawn = event::moment(view, &events, at);
    warp::header(&mut frame, &drawn, &warp::headline(&drawn), margin, (ordinal, events.len()));
    let [width, height] = view.size;
    let (left, right) = (margin, width - margin);
    let said = said(timeline, event, &served);
    let aside = match at.cmp(&ordinal) {
        std::cmp::Ordering::Equal => shape.told(),
        std::cmp::Ordering::Less => {
            format!("Event {} touches no bank; this is the last one before it that does.", ordinal + 1)
        }
        std::cmp::Ordering::Greater => {
            format!("Event {} touches no bank; this is the next one that does.", ordinal + 1)
        }
    };
    let both = format!("{said} {aside}");
    let most = if height < 220.0 { 1 } else { 2 };
    // Where there is not much room, there is only what the access does.
    let fitting =
        [&both, &said].map(|words| text::wrap(words, 14.0, right - left)).into_iter().find(|l| l.len() <= most);
    let lines = fitting.unwrap_or_else(|| vec![text::fit(&said, 14.0, false, right - left)]);
    let below = height - margin - 18.0 * (lines.len() as f32 - 1.0) - 6.0;
    for (i, line) in lines.into_iter().enumerate() {
        frame.text([left, below + 18.0 * i as f32], 14.0, Anchor::Start, Ink::Text, line);
    }
    let top = margin + 46.0;
    let room = (below - 54.0 - top).max(16.0);
    let window = Window::of(&shape, &served, [right - left, room]);
    let [across, down] = window.cell;
    let tile = [left + GUTTER, top, across * window.columns() as f32, down * window.rows() as f32];
    let most = 32.0 * LARGE;
    let tower_left = tile[0] + tile[2] + GAP + GUTTER;
    let tower_width = (right - tower_left).min(most).max(32.0);
    let by = ((right - tower_left - tower_width) / 2.0).max(0.0).floor();
    let tile = [tile[0] + by, tile[1], tile[2], tile[3]];
    let tower = [tower_left + by, top, tower_width, room];
    let lit = match view.hovered {
        Some(Tag::Bank(bank)) => Some(bank),
        Some(Tag::Word { buffer: of, index }) if of == buffer => Some(u32::from(shape.bank(index))),
        _ => None,
    };
    let touched: BTreeSet<u64> = served.iter().map(|word| word.word).collect();
    cells(&mut frame, &Cells { shape: &shape, window: &window, buffer, touched: &touched, never, tile, lit });
    let rows = format!("{} × {} words", count(shape.rows()), count(shape.columns()));
    let caption = text::fit(&format!("{}  {rows}", shape.name), 12.0, false, tile[2].max(tower[0] - GUTTER - tile[0]));
    frame.text([tile[0], top - 12.0], 12.0, Anchor::Start, Ink::Muted, caption);
    let wavefronts = served.iter().map(|s| s.wavefront + 1).max().unwrap_or(0);
    let noun = if wavefronts == 1 { "wavefront" } else { "wavefronts, from below" };
    let (place, caption) = ([tower[0], top - 12.0], format!("{wavefronts} {noun}"));
    frame.fitted(place, 12.0, Anchor::Start, Ink::Muted, right - tower[0], &caption);
    let landed = if at == ordinal { moment.landed } else { 1.0 };
    wavefronts::draw(&mut frame, &served, tower, Look { buffer, landed, lit });
    let hatched = never.iter().any(|touched| !touched);
    keys(&mut frame, [left, below - 22.0], right, hatched, timeline.truncated);
    frame.alt = format!(
        "Workgroup memory by banks, at event {} of {} of warp {} in workgroup {}. {both}",
        ordinal + 1,
        events.len(),
        view.warp,
        view.workgroup
    );
    frame
}

/// The part of a variable that finds room, and how large its words are.
struct Window {
    /// The first row and the first column, and those after the last.
    from: [u64; 2],
    to: [u64; 2],
    /// Width and height of a word.
    cell: [f32; 2],
}

impl Window {
    fn of(shape: &Shape, served: &[Served], [width, height]: [f32; 2]) -> Self {
        let size = [shape.rows(), shape.columns()];
        // A wide variable gets more of the room, but the wavefronts stay to be seen.
        let share = if size[1] > 48 { 0.58 } else { 0.48 };
        let room = [height, ((width - 2.0 * GUTTER - GAP) * share).max(32.0)];
        let (mut from, mut to) = ([0; 2], size);
        for axis in 0..2 {
            let most = ((room[axis] / LEAST) as u64).clamp(1, MOST[axis]);
            if size[axis] > most {
                let place = |word: &Served| [word.word / shape.pitch, word.word % shape.pitch][axis];
                let low = served.iter().map(place).min().unwrap_or(0);
                let high = served.iter().map(place).max().unwrap_or(0);
                let before = most.saturating_sub(high + 1 - low) / 2;
                from[axis] = (low.saturating_sub(before)).min(size[axis] - most);
                to[axis] = from[axis] + most;
            }
        }
        let down = (room[0] / (to[0] - from[0]) as f32).min(LARGE);
        // Low words may be wider than high, but not so much that rows look like lines.
        let across = (room[1] / (to[1] - from[1]) as f32).min(LARGE).min(down * 2.5);
        Self { from, to, cell: [across, down] }
    }

    fn rows(&self) -> u64 {
        self.to[0] - self.from[0]
    }

    fn columns(&self) -> u64 {
        self.to[1] - self.from[1]
    }
}

/// The data that the words are drawn from.
struct Cells<'a> {
    shape: &'a Shape,
    window: &'a Window,
    buffer: u16,
    /// The words that the access asks for.
    touched: &'a BTreeSet<u64>,
    /// By word, whether anything in the record touches it.
    never: &'a [bool],
    /// Left, top, width, height.
    tile: [f32; 4],
    lit: Option<u32>,
}

impl Cells<'_> {
    /// Left, top, width and height of the words from one place to another, both counted in the window.
    fn rect(&self, [row, column]: [u64; 2], [to_row, to_column]: [u64; 2]) -> [f32; 4] {
        let [across, down] = self.window.cell;
        let x = |column: u64| (self.tile[0] + across * column as f32).round();
        let y = |row: u64| (self.tile[1] + down * row as f32).round();
        let (left, top) = (x(column), y(row));
        [left, top, (x(to_column + 1) - left).max(1.0), (y(to_row + 1) - top).max(1.0)]
    }
}

/// The words in their rows, with outlines around those that are asked for, and the numbers of rows and columns.
fn cells(frame: &mut Frame, cells: &Cells<'_>) {
    let Cells { shape, window, .. } = cells;
    let [across, down] = window.cell;
    let [gap, below] = [across, down].map(|each| if each >= 5.0 { 1.0 } else { 0.0 });
    let mut asked: Vec<[[u64; 2]; 2]> = Vec::new();
    for row in 0..window.rows() {
        for column in 0..window.columns() {
            let word = (row + window.from[0]) * shape.pitch + column + window.from[1];
            if word >= shape.words {
                break;
            }
            let [x, y, w, h] = cells.rect([row, column], [row, column]);
            let bank = shape.bank(word);
            let is_asked = cells.touched.contains(&word);
            let strength = match cells.lit {
                Some(lit) if lit == u32::from(bank) => 100,
                Some(_) => DIM,
                None if is_asked => 100,
                None => REST,
            };
            let tag = Some(Tag::Word { buffer: cells.buffer, index: word });
            let rect = [x, y, w - gap, h - below];
            frame.fill(rect, 0.0, Ink::Bank(bank, strength), tag);
            if usize::try_from(word).ok().and_then(|word| cells.never.get(word)).is_some_and(|touched| !touched) {
                hatch(frame, rect);
            }
            if is_asked {
                grow(&mut asked, [row, column]);
            }
        }
    }
    for [from, to] in stacked(asked) {
        let [x, y, w, h] = cells.rect(from, to);
        let width = if down >= 6.0 { 2.0 } else { 1.0 };
        let rect = [x - 0.5, y - 0.5, w - gap + 1.0, h - below + 1.0];
        frame.items.push(Item::Rect { rect, radius: 0.0, fill: None, stroke: Some((Ink::Text, width)), tag: None });
    }
    let [left, top, wide, high] = cells.tile;
    let step = |room: f32, each: f32| ((room / each).ceil().max(1.0) as u64).next_power_of_two();
    let every = step(15.0, down);
    for row in (window.from[0]..window.to[0]).filter(|row| row.is_multiple_of(every)) {
        let y = top + ((row - window.from[0]) as f32 + 0.5) * down;
        frame.text([left - 6.0, y], 12.0, Anchor::End, Ink::Muted, count(row));
    }
    let y = top + high + 12.0;
    let widest = text::width(&count(window.to[1]), 12.0, false) + 8.0;
    let every = step(widest, across).max(if across * 8.0 >= widest { 8 } else { 1 });
    frame.text([left - 6.0, y], 12.0, Anchor::End, Ink::Muted, if shape.declared { "column" } else { "word" });
    for column in (window.from[1]..window.to[1]).filter(|column| column.is_multiple_of(every)) {
        let x = left + ((column - window.from[1]) as f32 + 0.5) * across;
        if x + widest / 2.0 <= left + wide + GAP {
            frame.text([x, y], 12.0, Anchor::Middle, Ink::Muted, count(column));
        }
    }
}

/// Adds a word to the stretch of its row that it goes on, or begins one.
fn grow(stretches: &mut Vec<[[u64; 2]; 2]>, [row, column]: [u64; 2]) {
    match stretches.last_mut() {
        Some([_, to]) if *to == [row, column.wrapping_sub(1)] => to[1] = column,
        _ => stretches.push([[row, column]; 2]),
    }
}

/// Joins stretches of the same columns that lie below one another.
fn stacked(stretches: Vec<[[u64; 2]; 2]>) -> Vec<[[u64; 2]; 2]> {
    let mut joined: Vec<[[u64; 2]; 2]> = Vec::new();
    for [from, to] in stretches {
        let above = joined.iter_mut().find(|[a, b]| a[1] == from[1] && b[1] == to[1] && b[0] + 1 == from[0]);
        match above {
            Some(above) => above[1] = to,
            None => joined.push([from, to]),
        }
    }
    joined
}

/// The legend: what outlines and hatches mean. The colours' are the numbers of the banks.
fn keys(frame: &mut Frame, [left, y]: [f32; 2], right: f32, hatched: bool, truncated: bool) {
    let never = if truncated { "not touched in this record" } else { "never touched" };
    let banks = [0, 8, 16, 24].map(|bank| Ink::Bank(bank, 100));
    let mut keys = vec![Key::new(Ink::Panel, "asked for").edge(Ink::Text)];
    keys.extend(hatched.then(|| Key::new(Ink::Bank(16, REST), never).hatched()));
    keys.push(Key::new(Ink::Panel, "colour: its bank").parts(banks));
    legend(frame, left, y, right - left, &keys);
}

/// The tip for the item under the pointer, about the access that is shown.
pub(super) fn told(view: &View<'_>, tag: Tag) -> Option<String> {
    let timeline = view.timeline().ok()?;
    let events: Vec<usize> = timeline.of_warp(view.workgroup, view.warp).collect();
    let (_, at) = shown(timeline, view.position, &events)?;
    memory_tooltip::told(timeline, events[at], tag)
}

static CARD: Card = Card {
    name: "Banks",
    tab: "Banks",
    help: "A variable of workgroup memory as it lies in banks, and the wavefronts that serve an access",
    about: "workgroup memory as it lies in banks, at one access of warp 0, workgroup 0",
    clock: Clock::Events,
    fits: |facts| facts.shared,
    needs: "show a kernel that has variables in workgroup memory",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, kept: &mut Kept) -> Result<Frame, Missing> {
        view.warp_view().map(|view| frame(kept.own(), &view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        told(view, tag)
    }
}

#[cfg(test)]
#[path = "tile_tests.rs"]
mod tests;
