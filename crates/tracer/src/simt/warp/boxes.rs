//! Boxes and bulk copies on their way, as a warp begins them and waits for them.

use super::{Surroundings, Warp};
use crate::simt::boxes::{Boxes, Flight, PIECE, Reading, SIZE, in_warps, swizzled};
use crate::simt::collective::Collective;
use crate::simt::ir::Mem;
use crate::simt::lanes::lanes_of;
use crate::simt::memory::{Buffer, Words};
use crate::simt::observers::{Access, Addresses, Meet, Observer, Phase};
use crate::trace::{AccessKind, FindingKind};

/// Boxes of a workgroup that may be on their way; of more, the oldest half never lands.
const MOST: usize = 1 << 10;

impl<const W: usize> Warp<W> {
    /// Moves a box for each active lane.
    pub(super) fn move_box<O: Observer>(
        &mut self,
        id: u32,
        boxes: Boxes,
        of: &Collective,
        around: &mut Surroundings<'_, O>,
    ) {
        for lane in lanes_of(self.mask) {
            let [shared, x, y, barrier] = [0, 1, 2, 3].map(|i| self.value(&of.a, i, lane));
            let boxes = boxes.of_lane(|| self.value(&of.a, SIZE, lane));
            if let Some((kind, why)) = boxes.is_run().then(|| self.misplaced(boxes, of, shared, x, around)).flatten() {
                around.report(around.code.lines[self.pc - 1], kind, |at, _| {
                    format!("{why} (workgroup {}, warp {}, lane {lane})", at.workgroup, at.warp)
                });
                continue;
            }
            let (x, y) = (x.cast_signed(), y.cast_signed());
            around.fuel = around.fuel.saturating_sub(u64::from(boxes.bytes() / 512));
            let end = u64::from(shared) + u64::from(boxes.bytes());
            let misplaced = (shared & 127 != 0 && !boxes.is_run()) || end > around.shared.len() as u64 * 4;
            if misplaced || i64::from(x) * i64::from(boxes.elem) % i64::from(PIECE) != 0 {
                let kind = if misplaced { FindingKind::OutOfBounds } else { FindingKind::Misaligned };
                around.report(around.code.lines[self.pc - 1], kind, |at, _| {
                    let what = if misplaced {
                        format!(
                            "a box of {} bytes does not fit at byte {shared} of shared memory, at a multiple of 128",
                            boxes.bytes()
                        )
                    } else {
                        format!(
                            "column {x} of a box does not begin at a multiple of {PIECE} bytes, which cannot be traced"
                        )
                    };
                    format!("{what} (workgroup {}, warp {}, lane {lane})", at.workgroup, at.warp)
                });
                continue;
            }
            if boxes.load {
                self.load_box((id, lane), boxes, of, (shared, barrier), [x, y], around);
            } else {
                self.store_box((id, lane), boxes, of, shared, [x, y], around);
            }
        }
    }

    /// Why a run of bytes cannot be moved, if so.
    fn misplaced<O>(
        &self,
        run: Boxes,
        of: &Collective,
        shared: u32,
        from: u32,
        around: &Surroundings<'_, O>,
    ) -> Option<(FindingKind, String)> {
        let size = run.bytes();
        if !(size | shared | from).is_multiple_of(PIECE) {
            let why = format!(
                "a bulk copy of {size} bytes between byte {from} of a buffer and byte {shared} of shared memory: all three have to be \
                 multiples of {PIECE}"
            );
            return Some((FindingKind::Misaligned, why));
        }
        let Mem::Buffer(buffer) = around.code.places[of.place? as usize].mem else { return None };
        let length = 4 * match &around.buffers[usize::from(buffer)] {
            Buffer::Read(words) => words.len() as u64,
            Buffer::Written(words) => words.len() as u64,
        };
        let room = 4 * around.shared.len() as u64;
        let outside = |start: u32, length: u64| u64::from(start) + u64::from(size) > length;
        let of = match (outside(from, length), outside(shared, room)) {
            (true, _) => format!("byte {from} of a buffer of {length}"),
            (_, true) => format!("byte {shared} of shared memory, which has {room}"),
            _ => return None,
        };
        Some((FindingKind::OutOfBounds, format!("a bulk copy of {size} bytes reaches beyond the end from {of}")))
    }

    fn load_box<O: Observer>(
        &mut self,
        (id, lane): (u32, u32),
        boxes: Boxes,
        of: &Collective,
        (to, barrier): (u32, u32),
        [x, y]: [i32; 2],
        around: &mut Surroundings<'_, O>,
    ) {
        let Some((place, Mem::Buffer(buffer))) = of.place.map(|p| (p, around.code.places[p as usize].mem)) else {
            return;
        };
        let mut words = Vec::with_capacity(boxes.bytes() as usize / 4);
        for (_, piece) in boxes.pieces(x, y) {
            let first = piece.map(|address| address as usize / 4);
            let word = |i: usize| match (&around.buffers[usize::from(buffer)], first) {
                (Buffer::Read(words), Some(first)) => words.word(first + i),
                (Buffer::Written(words), Some(first)) => words.word(first + i),
                (_, None) => 0,
            };
            words.extend((0..4).map(word));
        }
        if O::ACTIVE {
            self.see((place, lane), AccessKind::Load, boxes.pieces(x, y).map(|(_, piece)| piece), None, around);
            let pieces = boxes.pieces(x, y).map(|(at, _)| Some(swizzled(to + at, boxes.swizzle)));
            let begins = Phase::Begins { counted: false };
            self.see((of.other.unwrap_or(place), lane), AccessKind::Store, pieces, Some(begins), around);
        }
        // Its bytes arrive after all that the lane did up to here.
        around.observer.meet(1 << lane, Meet::Arrives(barrier));
        if around.engine.flights.len() == MOST {
            around.engine.flights.drain(..MOST / 2);
        }
        around.engine.flights.push(Flight { id, lane, boxes, to, barrier, words });
    }

    /// Boxes whose bytes a barrier counts land.
    pub(super) fn land<O: Observer>(&mut self, barrier: u32, around: &mut Surroundings<'_, O>) {
        if around.engine.flights.iter().all(|flight| flight.barrier != barrier) {
            return;
        }
        let (landed, rest) = std::mem::take(&mut around.engine.flights).into_iter().partition(|f| f.barrier == barrier);
        around.engine.flights = rest;
        let landed: Vec<Flight> = landed;
        for flight in landed {
            let code = around.code;
            let (of, boxes) = (&code.collectives[flight.id as usize], flight.boxes);
            for (at, words) in (0..).step_by(PIECE as usize).zip(flight.words.chunks(4)) {
                let first = swizzled(flight.to + at, boxes.swizzle) as usize / 4;
                if let Some(to) = around.shared.get_mut(first..first + words.len()) {
                    to.copy_from_slice(words);
                }
            }
            if let (true, Some(other)) = (O::ACTIVE, of.other) {
                let pieces = (0..boxes.bytes()).step_by(PIECE as usize);
                let pieces = pieces.map(|at| Some(swizzled(flight.to + at, boxes.swizzle)));
                self.see((other, flight.lane), AccessKind::Store, pieces, Some(Phase::Lands { anew: false }), around);
            }
            self.change_barrier(barrier, around, |barrier| barrier.expect(-i64::from(boxes.bytes())));
        }
    }

    fn store_box<O: Observer>(
        &mut self,
        (id, lane): (u32, u32),
        boxes: Boxes,
        of: &Collective,
        from: u32,
        [x, y]: [i32; 2],
        around: &mut Surroundings<'_, O>,
    ) {
        let Some((place, Mem::Buffer(buffer))) = of.place.map(|p| (p, around.code.places[p as usize].mem)) else {
            return;
        };
        if O::ACTIVE {
            self.read_box(lane, Reading { id, boxes, from }, Phase::Reads, around);
            self.see((place, lane), AccessKind::Store, boxes.pieces(x, y).map(|(_, piece)| piece), None, around);
        }
        if let Buffer::Written(words) = &around.buffers[usize::from(buffer)] {
            for (at, piece) in boxes.pieces(x, y) {
                let Some(to) = piece else { continue };
                let first = swizzled(from + at, boxes.swizzle) as usize / 4;
                for i in 0..4 {
                    if let Some(word) = words.get(to as usize / 4 + i) {
                        word.store(around.shared.word(first + i), std::sync::atomic::Ordering::Relaxed);
                    }
                }
            }
        }
        self.readings.begin(1 << lane, Reading { id, boxes, from });
    }

    /// Waits for boxes that are stored.
    pub(super) fn wait_for_boxes<O: Observer>(&mut self, left: Option<u32>, around: &mut Surroundings<'_, O>) {
        for (mask, reading) in self.readings.wait(self.mask, left) {
            if O::ACTIVE {
                // Up to now they were read.
                self.read_box(mask.trailing_zeros(), reading, Phase::HasRead, around);
            }
        }
    }

    fn read_box<O: Observer>(
        &mut self,
        lane: u32,
        Reading { id, boxes, from }: Reading,
        phase: Phase,
        around: &mut Surroundings<'_, O>,
    ) {
        let Some(other) = around.code.collectives[id as usize].other else { return };
        let pieces = (0..boxes.bytes()).step_by(PIECE as usize);
        let pieces = pieces.map(|at| Some(swizzled(from + at, boxes.swizzle)));
        self.see((other, lane), AccessKind::Load, pieces, Some(phase), around);
    }

    /// Shows observers the pieces that a lane's operation accesses, as accesses of 16 bytes by as many lanes as a warp has.
    fn see<O: Observer>(
        &self,
        (site, lane): (u32, u32),
        kind: AccessKind,
        pieces: impl Iterator<Item = Option<u32>>,
        phase: Option<Phase>,
        around: &mut Surroundings<'_, O>,
    ) {
        let place = &around.code.places[site as usize];
        let observer = &mut *around.observer;
        in_warps::<W>(pieces, |mask, addresses| {
            let access = Access::of(site, place, kind, mask, Addresses::Lanes(addresses));
            let access = Access { actor: Some(lane), ..access };
            match phase {
                Some(phase) => observer.later(&access, phase),
                None => observer.access(&access),
            }
        });
    }
}
