//! The matrices that a workgroup works on, and what it has touched of them so far, at one event of one of its warps.
//! The warps are in step.

use super::event::WarpView;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::results::Missing;
use std::sync::Arc;

use super::counters::bytes;
use super::frame::{Frame, Tag};
use super::kit::SideCard;
use super::kit::cells::{self, Matrix, Placed};
use super::kit::legend::{Key, legend_column};
use super::palette::{Hue, Ink};
use super::step::InStep;
use super::{event, memory_tooltip, warp};
use crate::base::units::count;
use crate::trace::heat::MOST_CELLS;
use crate::trace::{AccessKind, Cells, Event, EventKind, Space, Timeline};

/// Columns of workgroup memory that is no array of arrays: the banks.
const BANKS: u64 = 32;
/// How strongly what is still to be stored is tinted, in percent; and what is still to be loaded, in the colour of nothing yet.
const GHOST: u8 = 20;
const TO_LOAD: Ink = Ink::Tint(Hue::Idle, 45);
/// Workgroup variables shown, at most.
const MOST_TILES: usize = 4;

/// The elements that a workgroup has touched up to some event. Kept from frame to frame, so that going on costs only the new events.
#[derive(Debug, Default)]
pub(super) struct Progress {
    timeline: Arc<Timeline>,
    workgroup: u32,
    steps: InStep,
    /// How many events, in their order, are taken in.
    taken: usize,
    /// By buffer; None for buffers that are no matrices.
    touched: Vec<Option<Touched>>,
    totals: Totals,
}

/// Bytes that lanes asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    loaded: u64,
    stored: u64,
    shared: u64,
}

#[derive(Clone, Debug)]
struct Touched {
    cells: Cells,
    elem_bytes: u64,
    /// Whether the workgroup ever writes it.
    written: bool,
    /// By cell, one more than the phase of its last load; 0 for none.
    loaded: Vec<u32>,
    /// The same for stores and atomics.
    stored: Vec<u32>,
    /// One more than the phase of the last load of all.
    last: u32,
    /// The first and the last row, and the first and the last column, loaded in that phase.
    block: [[u64; 2]; 2],
    /// By cell, whether the workgroup ever touches it.
    ever: Vec<bool>,
    /// The first and the last row, and the first and the last column, that it ever writes.
    tile: Option<[[u64; 2]; 2]>,
}

impl Touched {
    /// Takes in what is touched at some time of the record.
    fn foresee(&mut self, load: bool, addresses: &[u32], bytes_per_lane: u64) {
        let each = (bytes_per_lane / self.elem_bytes).max(1);
        for address in addresses {
            let first = u64::from(*address) / self.elem_bytes;
            for cell in self.cells.along(first, first + each) {
                if let Some(ever) = self.ever.get_mut(cell) {
                    *ever = true;
                }
            }
            let inside = first + each <= self.cells.elements();
            for corner in [first, first + each - 1].into_iter().filter(|_| !load && inside) {
                let [row, column] = self.cells.place(corner);
                let tile = self.tile.get_or_insert([[row; 2], [column; 2]]);
                for ([low, high], at) in tile.iter_mut().zip([row, column]) {
                    (*low, *high) = ((*low).min(at), (*high).max(at));
                }
            }
        }
    }

    fn take(&mut self, phase: u32, load: bool, addresses: &[u32], bytes_per_lane: u64) {
        let each = (bytes_per_lane / self.elem_bytes).max(1);
        for address in addresses {
            let first = u64::from(*address) / self.elem_bytes;
            let marks = if load { &mut self.loaded } else { &mut self.stored };
            for cell in self.cells.along(first, first + each) {
                if let Some(mark) = marks.get_mut(cell) {
                    *mark = phase + 1;
                }
            }
            if load {
                let last = self.cells.elements() - 1;
                let corners = [first, first + each - 1].map(|element| self.cells.place(element.min(last)));
                if self.last != phase + 1 {
                    self.last = phase + 1;
                    self.block = [0, 1].map(|axis| [corners[0][axis]; 2]);
                }
                for (axis, [low, high]) in self.block.iter_mut().enumerate() {
                    for corner in corners {
                        (*low, *high) = ((*low).min(corner[axis]), (*high).max(corner[axis]));
                    }
                }
            }
        }
    }
}

impl Progress {
    /// Nothing touched yet by a workgroup.
    fn of(timeline: &Arc<Timeline>, workgroup: u32) -> Self {
        let steps = InStep::of(timeline, workgroup);
        let mut written = vec![false; timeline.buffers.len()];
        for index in &steps.order {
            if let EventKind::Access { access, buffer, .. } = timeline.events[*index].kind {
                written[usize::from(buffer)] |= access != AccessKind::Load;
            }
        }
        let matrices = timeline.buffers.iter().filter(|b| b.space == Space::Global && b.columns.is_some()).count();
        let none_written = !timeline.buffers.iter().zip(&written).any(|(b, w)| b.space == Space::Global && *w);
        let mut seen = 0;
        let touched = timeline.buffers.iter().zip(written).map(|(buffer, written)| {
            let columns = if buffer.space == Space::Shared { buffer.columns.or(Some(BANKS)) } else { buffer.columns }?;
            seen += usize::from(buffer.space == Space::Global);
            let elem_bytes = buffer.elem.bytes();
            let cells = Cells::of(buffer.bytes / elem_bytes, columns, MOST_CELLS);
            Some(Touched {
                cells,
                elem_bytes,
                // A record that was cut short may end before the results are stored: outputs come last.
                written: written || (none_written && timeline.truncated && seen == matrices),
                loaded: vec![0; cells.count()],
                stored: vec![0; cells.count()],
                last: 0,
                block: [[0; 2]; 2],
                ever: vec![false; cells.count()],
                tile: None,
            })
        });
        let mut touched: Vec<Option<Touched>> = touched.collect();
        for event in steps.order.iter().map(|index| &timeline.events[*index]) {
            let EventKind::Access { access, buffer, bytes_per_lane, .. } = event.kind else { continue };
            if let Some(Some(touched)) = touched.get_mut(usize::from(buffer)) {
                touched.foresee(access == AccessKind::Load, timeline.addresses(event), u64::from(bytes_per_lane));
            }
        }
        Self { timeline: timeline.clone(), workgroup, steps, taken: 0, touched, totals: Totals::default() }
    }

    /// Goes to the event of this index, which counts as done.
    fn go_to(&mut self, timeline: &Arc<Timeline>, workgroup: u32, event: usize) {
        let step = |me: &Self| me.steps.at.get(event).copied().unwrap_or_default();
        let same = Arc::ptr_eq(&self.timeline, timeline) && self.workgroup == workgroup;
        let last = self.taken.checked_sub(1).and_then(|last| self.steps.order.get(last));
        let past = last.is_some_and(|last| self.steps.at[*last] > step(self));
        if !same || past {
            *self = Self::of(timeline, workgroup);
        }
        let end = step(self);
        while let Some(next) = self.steps.order.get(self.taken).copied().filter(|next| self.steps.at[*next] <= end) {
            self.take(next);
            self.taken += 1;
        }
    }

    fn take(&mut self, index: usize) {
        let event: &Event = &self.timeline.events[index];
        let EventKind::Access { access, buffer, bytes_per_lane, .. } = event.kind else { return };
        let load = access == AccessKind::Load;
        let asked = u64::from(event.mask.count_ones()) * u64::from(bytes_per_lane);
        let shared = self.timeline.buffers.get(usize::from(buffer)).is_some_and(|b| b.space == Space::Shared);
        match (shared, load) {
            (true, true) => self.totals.shared += asked,
            (true, false) => {}
            (false, true) => self.totals.loaded += asked,
            (false, false) => self.totals.stored += asked,
        }
        if let Some(Some(touched)) = self.touched.get_mut(usize::from(buffer)) {
            let phase = self.steps.at[index].0;
            touched.take(phase, load, self.timeline.addresses(event), u64::from(bytes_per_lane));
        }
    }

    /// Matrices in global memory, and variables in workgroup memory.
    fn matrices(&self, space: Space) -> Vec<Matrix> {
        let buffers = (0..).zip(&self.timeline.buffers).zip(&self.touched);
        let of = |((buffer, traced), touched): ((u16, &crate::trace::TracedBuffer), &Option<Touched>)| {
            let touched = touched.as_ref().filter(|_| traced.space == space)?;
            let shaped = traced.columns.is_some();
            let (name, cells, written) = (traced.name.clone(), touched.cells, touched.written);
            Some(Matrix { buffer, name, cells, written, shaped, beyond: [0; 2] })
        };
        buffers.filter_map(of).collect()
    }
}

/// The places of matrices, workgroup memory and card, and the area that is left free.
struct Layout {
    placed: Vec<Placed>,
    tiles: Vec<Placed>,
    card: Option<[f32; 4]>,
    free: Option<[f32; 4]>,
}

fn layout(progress: &Progress, size: [f32; 2]) -> Layout {
    let (area, card) = areas(size);
    let matrices = progress.matrices(Space::Global);
    let mut tiles = progress.matrices(Space::Shared);
    tiles.truncate(MOST_TILES);
    let mut own = area;
    if cells::product(&matrices).is_none() && !tiles.is_empty() {
        own[2] = (area[2] * 0.7).round();
    }
    let (mut placed, mut free) = cells::place(matrices, own);
    // Beside the matrices or in the corner that a product leaves free, whichever shows them larger.
    let right = placed.iter().map(Placed::right).fold(own[0], f32::max) + 24.0;
    let beside = cells::place_each(tiles.clone(), [right, area[1], area[0] + area[2] - right, area[3]]);
    let corner = free.map(|room| cells::place_each(tiles, room)).unwrap_or_default();
    let size = |tiles: &[Placed]| tiles.iter().map(|p| p.grid.rect[3]).fold(f32::INFINITY, f32::min);
    let in_corner = beside.len() < corner.len() || (!corner.is_empty() && size(&corner) > size(&beside));
    if in_corner {
        free = None;
    }
    let mut tiles = if in_corner { corner } else { beside };
    let by = cells::centre(&mut placed.iter_mut().chain(&mut tiles).collect::<Vec<_>>(), area);
    if let Some(free) = &mut free {
        free[0] += by;
    }
    Layout { placed, tiles, card, free }
}

/// The room of the matrices, and of the card where there is any.
pub(super) fn areas([width, height]: [f32; 2]) -> ([f32; 4], Option<[f32; 4]>) {
    let margin = if width < 560.0 { 8.0 } else { 16.0 };
    if width < 560.0 {
        return ([margin, margin, width - 2.0 * margin, height - 2.0 * margin], None);
    }
    let side = if width >= 1000.0 { 264.0 } else { 232.0 };
    let card = [width - margin - side, margin, side, height - 2.0 * margin];
    ([margin, margin - 4.0, card[0] - 24.0 - margin, height - 2.0 * margin + 4.0], Some(card))
}

/// The picture.
pub(super) fn frame(progress: &mut Progress, view: &WarpView<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    let events: Vec<usize> = view.timeline.of_warp(view.workgroup, view.warp).collect();
    if events.is_empty() {
        return warp::frame(view);
    }
    let ordinal = (view.position.max(0.0) as usize).min(events.len() - 1);
    let moment = event::moment(view, &events, ordinal);
    progress.go_to(view.timeline, view.workgroup, moment.index);
    let layout = layout(progress, view.size);
    for placed in layout.placed.iter().chain(&layout.tiles) {
        let Some(Some(touched)) = progress.touched.get(usize::from(placed.grid.buffer)) else { continue };
        let now = now(view.timeline, moment.event, placed);
        let shared =
            view.timeline.buffers.get(usize::from(placed.grid.buffer)).is_some_and(|b| b.space == Space::Shared);
        let stores = if shared { Hue::Shared } else { Hue::Store };
        let loads = if shared { Hue::Shared } else { Hue::Load };
        let latest = touched.stored.iter().chain(&touched.loaded).copied().max().unwrap_or(0);
        placed.draw(&mut frame, |row, column| {
            if now.contains(&[row, column]) {
                return Some(moment.hue.ink());
            }
            let cells = placed.finer(&touched.cells, row, column);
            let (marks, ever) = cells.fold(((0, 0), false), |((l, s), ever), i| {
                ((touched.loaded[i].max(l), touched.stored[i].max(s)), ever || touched.ever[i])
            });
            match marks {
                (0, 0) if ever && !shared => Some(if touched.written { stores.tint(GHOST) } else { TO_LOAD }),
                (0, 0) => None,
                (loaded, stored) if shared => Some(strength(Hue::Shared, loaded.max(stored) == latest)),
                (loaded, 0) => Some(strength(loads, loaded == touched.last)),
                _ => Some(strength(stores, true)),
            }
        });
        if let Some(tile) = touched.tile.filter(|_| !shared) {
            placed.outline(&mut frame, tile, stores.ink());
        }
        placed.ring(&mut frame, view.hovered);
    }
    let (title, details) = warp::headline(&moment);
    let said = told_blocks(progress, &layout);
    let keys = keys(!layout.tiles.is_empty());
    let legend = layout.free.is_some_and(|[x, y, w, h]| legend_column(&mut frame, [x, y], [w, h], &keys));
    if let Some(rect) = layout.card {
        let mut card = SideCard::new(&mut frame, rect);
        card.title(Some(moment.hue.ink()), &title);
        card.says(&details[..details.len().min(2)].join(", "));
        if !said.is_empty() {
            card.section("last loaded: rows × columns");
            for (name, rows, columns) in &said {
                card.row(name, &format!("{rows} × {columns}"));
            }
        }
        card.section("asked for by the workgroup so far");
        let Totals { loaded, stored, shared } = progress.totals;
        card.row("global loads", &bytes(loaded));
        if !layout.tiles.is_empty() {
            card.row("shared loads", &bytes(shared));
        }
        card.row("global stores", &bytes(stored));
        // Beside some names there is no room for the shape, or there is none.
        let tiles = layout.tiles.iter().filter(|tile| !tile.is_sized());
        let tiles: Vec<String> =
            tiles.map(|tile| format!("{} {}", tile.matrix.name, count(tile.matrix.cells.elements()))).collect();
        if !tiles.is_empty() {
            card.says(&format!("elements: {}", tiles.join(", ")));
        }
        if view.timeline.truncated {
            card.says("The record is cut at its cap on events.");
        }
        if !legend {
            card.legend(&keys);
        }
        card.finish();
    }
    let blocks: Vec<String> =
        said.iter().map(|(n, rows, columns)| format!("rows {rows}, columns {columns} of {n}")).collect();
    let blocks = if blocks.is_empty() { "nothing yet".to_owned() } else { blocks.join("; ") };
    frame.alt = format!(
        "Matrices of workgroup {} at event {} of {} of warp {}: {title}. Last loaded: {blocks}. So far the workgroup has loaded {} from \
         global and {} from workgroup memory.",
        view.workgroup,
        ordinal + 1,
        events.len(),
        view.warp,
        bytes(progress.totals.loaded),
        bytes(progress.totals.shared)
    );
    frame
}

/// The colour of what was touched in the last phase, and of what was before.
fn strength(hue: Hue, last: bool) -> Ink {
    hue.tint(if last { 55 } else { 24 })
}

fn keys(tiles: bool) -> Vec<Key<'static>> {
    // The first ones are shown where there is no room for all.
    let mut keys = vec![Key::new(Ink::Load, "load now")];
    if tiles {
        keys.push(Key::new(strength(Hue::Shared, true), "shared"));
    }
    keys.extend([
        Key::new(strength(Hue::Load, true), "last load"),
        Key::new(Hue::Store.tint(GHOST), "its tile").edge(Ink::Store),
        Key::new(strength(Hue::Load, false), "earlier"),
        Key::new(TO_LOAD, "to be loaded"),
        Key::new(strength(Hue::Store, true), "stored"),
    ]);
    keys
}

/// The cells, as drawn, that an event touches.
fn now(timeline: &Timeline, event: &Event, placed: &Placed) -> Vec<[u64; 2]> {
    let EventKind::Access { buffer, bytes_per_lane, .. } = event.kind else { return Vec::new() };
    let Some(traced) = timeline.buffers.get(usize::from(buffer)).filter(|_| buffer == placed.grid.buffer) else {
        return Vec::new();
    };
    let cells = placed.grid.cells;
    let across = cells.grid()[1];
    let bytes = traced.elem.bytes();
    let each = (u64::from(bytes_per_lane) / bytes).max(1);
    let mut touched: Vec<usize> = timeline
        .addresses(event)
        .iter()
        .flat_map(|address| cells.along(u64::from(*address) / bytes, u64::from(*address) / bytes + each))
        .collect();
    touched.sort_unstable();
    touched.dedup();
    touched.retain(|cell| *cell < cells.count());
    touched.into_iter().map(|cell| [cell as u64 / across, cell as u64 % across]).collect()
}

/// By loaded matrix, the rows and the columns of what was loaded last.
fn told_blocks(progress: &Progress, layout: &Layout) -> Vec<(String, String, String)> {
    let each = layout.placed.iter().filter_map(|placed| {
        let touched = progress.touched.get(usize::from(placed.grid.buffer))?.as_ref().filter(|t| t.last > 0)?;
        let [rows, columns] = touched.block.map(|[low, high]| span(low, high));
        Some((placed.matrix.name.clone(), rows, columns))
    });
    each.collect()
}

/// `3`, or `3–17`.
pub(super) fn span(low: u64, high: u64) -> String {
    if low == high { count(low) } else { format!("{}–{}", count(low), count(high)) }
}

/// The tip for the item under the pointer.
pub(super) fn told(progress: &Progress, view: &View<'_>, tag: Tag) -> Option<String> {
    let Tag::Cell { buffer, row, column } = tag else { return None };
    let layout = layout(progress, view.size);
    let placed = layout.placed.iter().chain(&layout.tiles).find(|p| p.grid.buffer == buffer)?;
    let name = name(placed, row, column);
    let cells = placed.grid.cells;
    let timeline = view.timeline().ok()?;
    let traced = timeline.buffers.get(usize::from(buffer))?;
    let events: Vec<usize> = timeline.of_warp(view.workgroup, view.warp).collect();
    let event = *events.get((view.position.max(0.0) as usize).min(events.len().checked_sub(1)?))?;
    let index = row * cells.columns + column;
    let word = (cells.span == [1, 1] && traced.elem.bytes() == 4).then_some(Tag::Word { buffer, index });
    let more = word.and_then(|word| memory_tooltip::told(timeline, event, word));
    let more = more.and_then(|more| more.split_once('\n').map(|(_, rest)| format!("\n{rest}")));
    Some(format!("{name}{}", more.unwrap_or_default()))
}

/// The elements of a cell as drawn: `a, row 3, columns 4–7`.
pub(super) fn name(placed: &Placed, row: u64, column: u64) -> String {
    let cells = placed.grid.cells;
    let [rows, columns] = cells.block(cells.cell([row, column]));
    let part = |noun: &str, range: std::ops::Range<u64>| {
        let plural = if range.end - range.start > 1 { "s" } else { "" };
        format!("{noun}{plural} {}", span(range.start, range.end.saturating_sub(1)))
    };
    format!("{}, {}, {}", placed.matrix.name, part("row", rows), part("column", columns))
}

static CARD: Card = Card {
    name: "Matrices",
    tab: "Matrices",
    help: "The matrices, and what the workgroup has touched of them so far",
    about: "what workgroup 0 has touched of the matrices",
    clock: Clock::Events,
    fits: |facts| facts.matrices,
    needs: "give its matrices their `columns`",
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

    fn tip(&self, view: &View<'_>, kept: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        told(kept.get()?, view, tag)
    }
}

#[cfg(test)]
#[path = "matrices_tests.rs"]
mod tests;
