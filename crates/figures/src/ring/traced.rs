//! The ring as the trace shows it: when each tile's copies begin, land, are read and are done with, one column for each change.

use std::collections::{BTreeMap, BTreeSet};

use super::super::figure::View;
use super::super::frame::{Anchor, Frame};
use super::super::kit::legend::{Key, legend};
use super::super::palette::Ink;
use super::{GAP, LOADED, LOADING, MARGIN, READ, ROW, cell, head};
use crate::text;
use crate::trace::{AccessKind, EventKind, Space, Timeline, Transfer, TransferPart};

/// Bytes of workgroup memory that a copy fills whole: asynchronous copies move 16 bytes or a multiple.
const PIECE: u32 = 16;
/// The least width of a column.
const COLUMN: f32 = 11.0;

/// A tile in its place. Times are columns of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stay {
    place: u32,
    tile: u32,
    /// Its copies begin.
    from: usize,
    /// The last has landed; None if the record ends before.
    landed: Option<usize>,
    /// It is read for the first time, and has been for the last.
    read: Option<[usize; 2]>,
}

/// The stays of all tiles of a workgroup, with the warps that copy and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turns {
    places: u32,
    stays: Vec<Stay>,
    columns: usize,
    loaders: BTreeSet<u32>,
    readers: BTreeSet<u32>,
}

/// An access to workgroup memory, in the order of the trace.
#[derive(Clone, Copy)]
struct Touch {
    warp: u32,
    part: TransferPart,
    span: [u32; 2],
}

/// Transfers, and ordinary loads from workgroup memory as reads.
fn touches(timeline: &Timeline, workgroup: u32) -> Vec<Touch> {
    let mut all: Vec<(u32, Touch)> = timeline
        .transfers
        .iter()
        .filter(|transfer| transfer.workgroup == workgroup)
        .map(|Transfer { after, warp, part, span, .. }| (*after, Touch { warp: *warp, part: *part, span: *span }))
        .collect();
    for (index, event) in (1..).zip(&timeline.events) {
        let EventKind::Access { access: AccessKind::Load, buffer, bytes_per_lane, .. } = event.kind else { continue };
        let shared = timeline.buffers.get(usize::from(buffer)).filter(|buffer| buffer.space == Space::Shared);
        let Some(shared) = shared.filter(|_| event.workgroup == workgroup) else { continue };
        let addresses = timeline.addresses(event);
        let (Some(first), Some(last)) = (addresses.iter().min(), addresses.iter().max()) else { continue };
        let span = [shared.base + first, shared.base + last + u32::from(bytes_per_lane)];
        all.push((index, Touch { warp: event.warp, part: TransferPart::Reads, span }));
    }
    // A transfer `after` n events comes before event n, which is number n + 1 here.
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, touch)| touch).collect()
}

fn pieces(span: [u32; 2]) -> impl Iterator<Item = u32> {
    span[0] / PIECE..span[1].div_ceil(PIECE)
}

impl Turns {
    /// The tiles of a workgroup. None if there are no asynchronous copies, or if what they fill is not divided into `places`.
    pub(super) fn of(timeline: &Timeline, workgroup: u32, places: u32) -> Option<Self> {
        let touches = touches(timeline, workgroup);
        let place_of = layout(&touches, places)?;
        let mut stays: Vec<Stay> = Vec::new();
        // Tiles that a warp has begun to copy to a place, and the piece of it that it copies first.
        let mut begun: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
        // The tile that was begun in a piece of memory last. Another warp's piece of the place may have an earlier one.
        let mut tile_of: BTreeMap<u32, u32> = BTreeMap::new();
        let (mut loaders, mut readers) = (BTreeSet::new(), BTreeSet::new());
        for (at, touch) in touches.iter().enumerate() {
            let mut seen = BTreeSet::new();
            // Reads come in many parts, each of a single place.
            let span = match touch.part {
                TransferPart::Begins | TransferPart::Lands => touch.span,
                TransferPart::Reads | TransferPart::HasRead => [touch.span[0], touch.span[0] + 1],
            };
            for piece in pieces(span) {
                let Some(place) = place_of.get(&piece).copied() else { continue };
                if touch.part == TransferPart::Begins {
                    let (count, first) = begun.entry((touch.warp, place)).or_insert((0, piece));
                    *count += u32::from(*first == piece);
                    let tile = (*count - 1) * places + place;
                    tile_of.insert(piece, tile);
                    loaders.insert(touch.warp);
                    if seen.insert(tile) && !stays.iter().any(|stay| stay.tile == tile) {
                        stays.push(Stay { place, tile, from: at, landed: None, read: None });
                    }
                } else if let Some(tile) = tile_of.get(&piece)
                    && seen.insert(*tile)
                    && let Some(stay) = stays.iter_mut().find(|stay| stay.tile == *tile)
                {
                    if touch.part == TransferPart::Lands {
                        stay.landed = Some(at);
                    } else {
                        let first = stay.read.map_or(at, |[first, _]| first);
                        stay.read = Some([first, at]);
                        readers.insert(touch.warp);
                    }
                }
            }
        }
        let mut turns = Self { places, stays, columns: 0, loaders, readers };
        turns.compress();
        Some(turns)
    }

    /// Leaves the moments out at which nothing changes.
    fn compress(&mut self) {
        let changes = |stay: &Stay| [Some(stay.from), stay.landed, stay.read.map(|r| r[0]), stay.read.map(|r| r[1])];
        let moments: BTreeSet<usize> = self.stays.iter().flat_map(changes).flatten().collect();
        let column = |at: usize| moments.range(..at).count();
        for stay in &mut self.stays {
            stay.from = column(stay.from);
            stay.landed = stay.landed.map(column);
            stay.read = stay.read.map(|read| read.map(column));
        }
        self.columns = moments.len();
    }
}

/// The place of each piece of memory that copies fill: each warp fills one place after the other, in equal parts.
fn layout(touches: &[Touch], places: u32) -> Option<BTreeMap<u32, u32>> {
    let mut fills: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut order = Vec::new();
    for touch in touches.iter().filter(|touch| touch.part == TransferPart::Begins) {
        for piece in pieces(touch.span) {
            let count = fills.entry((touch.warp, piece)).or_insert(0);
            *count += 1;
            if *count == 1 {
                order.push((touch.warp, piece));
            }
        }
    }
    // Memory that is filled again is a ring's, if there is any: what is filled once, such as a tile that all others meet, is not.
    let turns = fills.values().any(|count| *count > 1);
    let mut filled: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (warp, piece) in order.into_iter().filter(|key| !turns || fills[key] > 1) {
        filled.entry(warp).or_default().push(piece);
    }
    let mut place_of = BTreeMap::new();
    for pieces in filled.values() {
        let each = pieces.len() / places.max(1) as usize;
        if each == 0 || each * places as usize != pieces.len() {
            return None;
        }
        place_of.extend((0..).zip(pieces).map(|(number, piece): (usize, &u32)| (*piece, (number / each) as u32)));
    }
    (!place_of.is_empty()).then_some(place_of)
}

/// The picture.
pub(super) fn frame(view: &View<'_>, turns: &Turns) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let title = format!("{} places in shared memory, from the first tile on", turns.places);
    let note = "Traced: each column is a change of the ring, in the order of the trace. Widths are not times.";
    let y = head(&mut frame, view, &title, note);
    let left = MARGIN + text::width("place 0", 12.0, false) + 16.0;
    let room = width - MARGIN - left;
    let shown = turns.columns.min((room / COLUMN) as usize).max(1);
    let wide = room / shown as f32;
    let high = ((height - y - 60.0) / (turns.places as f32 * (1.0 + GAP))).clamp(ROW[0] * 0.6, ROW[1]);
    let pitch = high * (1.0 + GAP);
    for place in 0..turns.places {
        let top = y + place as f32 * pitch;
        frame.text([MARGIN, top + high / 2.0], 12.0, Anchor::Start, Ink::Muted, format!("place {place}"));
        frame.fill([left, top, room, high], 0.0, Ink::Raised, None);
    }
    let followed = turns.places.min(turns.stays.len() as u32 - 1);
    for stay in turns.stays.iter().filter(|stay| stay.from < shown) {
        let top = y + stay.place as f32 * pitch;
        let x = |column: usize| left + column.min(shown) as f32 * wide;
        let part = |frame: &mut Frame, [from, to]: [usize; 2], ink: Ink, named: bool| {
            if from < to && from < shown {
                let rect = [x(from), top, x(to) - x(from), high];
                cell(frame, rect, ink, Some(stay.tile).filter(|_| named));
            }
        };
        let landed = stay.landed.unwrap_or(turns.columns);
        let read = stay.read.map_or([turns.columns; 2], |[first, last]| [first, last + 1]);
        part(&mut frame, [stay.from, landed], LOADING, true);
        part(&mut frame, [landed, read[0]], LOADED, false);
        part(&mut frame, read, READ, true);
        if stay.tile == followed {
            let rect = [x(stay.from), top, x(read[1]) - x(stay.from), high];
            frame.outline(rect, 4.0, None, Ink::Accent, None);
            frame.outline([rect[0] + 1.0, rect[1] + 1.0, rect[2] - 2.0, rect[3] - 2.0], 3.0, None, Ink::Accent, None);
        }
    }
    let foot = y + turns.places as f32 * pitch + 12.0;
    let (loaders, readers) = (warps(&turns.loaders), warps(&turns.readers));
    let [loaders, readers, tile] =
        [format!("copies on their way, by {loaders}"), format!("read by {readers}"), format!("tile {followed}")];
    let keys = [
        Key::new(LOADING, &loaders).or("loading"),
        Key::new(LOADED, "landed"),
        Key::new(READ, &readers).or("read"),
        Key::new(Ink::Panel, &tile).edge(Ink::Accent),
    ];
    legend(&mut frame, MARGIN, foot, width - 2.0 * MARGIN, &keys);
    let overlaps = turns.overlaps();
    let said = if overlaps == 0 {
        "No tile is on its way while another is read.".to_owned()
    } else {
        format!("In {overlaps} of {} columns a tile is on its way while another is read.", turns.columns)
    };
    if foot + 34.0 < height {
        frame.fitted([MARGIN, foot + 24.0], 13.0, Anchor::Start, Ink::Text, width - 2.0 * MARGIN, &said);
    }
    frame.alt = format!("{title}. {note} Copies by {loaders}, read by {readers}. {said}");
    frame
}

impl Turns {
    /// Columns in which a tile is on its way while another is read.
    fn overlaps(&self) -> usize {
        let is_loading =
            |stay: &Stay, column: usize| stay.from <= column && stay.landed.is_none_or(|landed| column < landed);
        let is_read =
            |stay: &Stay, column: usize| stay.read.is_some_and(|[first, last]| (first..=last).contains(&column));
        let both = |column: &usize| {
            self.stays.iter().any(|stay| is_loading(stay, *column))
                && self.stays.iter().any(|stay| is_read(stay, *column))
        };
        (0..self.columns).filter(both).count()
    }
}

/// Warps by their numbers: `warp 0`, `warps 4 to 11`.
fn warps(all: &BTreeSet<u32>) -> String {
    match (all.first(), all.last()) {
        (Some(first), Some(last)) if first == last => format!("warp {first}"),
        (Some(first), Some(last)) if last - first + 1 == all.len() as u32 => format!("warps {first} to {last}"),
        _ => format!("{} warps", all.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures::{Painter, Seen, assert_tidy};
    use super::*;
    use crate::answers::Ring;
    use crate::ask;
    use std::sync::Arc;

    /// Four tiles through two places of 64 bytes: warp 0 copies, warps 1 and 2 read a half each. A place is filled again as soon as both
    /// have read it.
    fn timeline() -> Timeline {
        let mut timeline = Timeline { warp_width: 32, warps_per_workgroup: 3, ..Timeline::default() };
        let mut add = |warp, part, first: u32, bytes: u32| {
            let span = [first, first + bytes];
            timeline.transfers.push(Transfer { after: 0, workgroup: 0, warp, line: 7, part, span });
        };
        for tile in 0..2 {
            add(0, TransferPart::Begins, tile * 64, 64);
        }
        for tile in 0..4 {
            let first = tile % 2 * 64;
            add(1, TransferPart::Lands, first, 64);
            add(1, TransferPart::Reads, first, 32);
            add(2, TransferPart::Reads, first + 32, 32);
            add(1, TransferPart::HasRead, first, 32);
            add(2, TransferPart::HasRead, first + 32, 32);
            if tile < 2 {
                add(0, TransferPart::Begins, first, 64);
            }
        }
        // A copy of the results out of shared memory, which no copy has filled.
        add(1, TransferPart::Reads, 128, 64);
        timeline
    }

    #[test]
    fn each_tile_stays_in_its_place_until_all_have_read_it() {
        let turns = Turns::of(&timeline(), 0, 2).expect("two places");
        let stays: Vec<_> = turns.stays.iter().map(|s| (s.place, s.tile, s.from, s.landed, s.read)).collect();
        // Columns: two copies begin; then per tile: landed, first read, last read, and the copy that follows.
        assert_eq!(
            stays,
            [
                (0, 0, 0, Some(2), Some([3, 4])),
                (1, 1, 1, Some(6), Some([7, 8])),
                (0, 2, 5, Some(10), Some([11, 12])),
                (1, 3, 9, Some(13), Some([14, 15])),
            ]
        );
        assert_eq!((warps(&turns.loaders), warps(&turns.readers)), ("warp 0".to_owned(), "warps 1 to 2".to_owned()));
        assert_eq!(turns.overlaps(), 6);
    }

    #[test]
    fn a_warp_that_is_ahead_takes_no_reads_of_another() {
        let mut timeline = Timeline { warp_width: 32, warps_per_workgroup: 2, ..Timeline::default() };
        let mut add = |warp: u32, part, place: u32| {
            let first = place * 64 + warp * 32;
            let span = [first, first + 32];
            timeline.transfers.push(Transfer { after: 0, workgroup: 0, warp, line: 7, part, span });
        };
        // Each warp copies a half of each tile, and reads that alone: warp 0 is a tile ahead.
        for warp in 0..2 {
            for place in 0..2 {
                add(warp, TransferPart::Begins, place);
            }
        }
        for warp in 0..2 {
            for place in 0..2 {
                add(warp, TransferPart::Lands, place);
                add(warp, TransferPart::Reads, place);
                add(warp, TransferPart::Begins, place);
            }
        }
        let turns = Turns::of(&timeline, 0, 2).expect("two places");
        let read: Vec<_> = turns.stays.iter().map(|stay| (stay.tile, stay.read.is_some())).collect();
        assert_eq!(read, [(0, true), (1, true), (2, false), (3, false)]);
        let [first, ahead] = [0, 2].map(|tile| turns.stays.iter().find(|stay| stay.tile == tile).expect("a tile"));
        assert!(first.read.is_some_and(|[_, last]| last > ahead.from), "{turns:?}");
    }

    #[test]
    fn what_is_no_ring_is_not_drawn_as_one() {
        assert_eq!(Turns::of(&Timeline::default(), 0, 2), None);
        assert_eq!(Turns::of(&timeline(), 0, 3), None);
    }

    #[test]
    fn it_fits() {
        let ring = Ring { places: 2, tiles: None, load: "one warp".into(), multiply: "two warps".into() };
        for size in [[420.0, 300.0], [653.0, 372.0], [1576.0, 800.0]] {
            let mut seen = Seen::of(&Arc::new(timeline()), size);
            seen.results = seen.results.with(ask::Ring, ring.clone());
            assert_tidy(&Painter::of("Ring").frame(&seen), &format!("{size:?}"));
        }
    }
}
