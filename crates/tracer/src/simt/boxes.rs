//! The copy engine: boxes of a row-major matrix to shared memory and back, as PTX's `cp.async.bulk.tensor` moves them by a tensor map, and
//! runs of bytes, as `cp.async.bulk` moves them without one.
//!
//! Within shared memory the 16-byte pieces of a box are *swizzled*: bits 4 and up of an address are changed by bits 7 and up (PTX ISA 9.0,
//! section 5.5.5, "Swizzling Modes").

use super::collective::Collective;
use super::ir::Mem;
use super::memory::{Buffer, Words};
use super::observers::{Access, Addresses, Meet, Observer, Phase, lanes_of};
use super::warp::{Surroundings, Warp};
use crate::trace::{AccessKind, FindingKind};

/// Boxes of a workgroup that may be on their way; of more, the oldest half never lands.
const MOST: usize = 1 << 10;

/// Bytes of a piece, which stays together.
pub const PIECE: u32 = 16;

/// The operand of a run of bytes that is its size, after its place in shared memory, its column, its row and its barrier.
pub const SIZE: usize = 4;

/// The boxes of a tensor map of two dimensions, in bytes and rows. A run of bytes is a box of one row, in a matrix of one row; its size
/// is an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boxes {
    /// Whether boxes go to shared memory; else they come from there.
    pub load: bool,
    /// Bytes of an element.
    pub elem: u32,
    /// Bytes of a row of the matrix.
    pub pitch: u32,
    /// Its rows.
    pub rows: u32,
    /// Bytes of a row of a box.
    pub width: u32,
    /// Rows of a box.
    pub height: u32,
    /// Bytes over which pieces are swizzled: 32, 64 or 128; 0 for not at all.
    pub swizzle: u32,
}

/// The address of a piece of shared memory, where addresses are swizzled over `swizzle` bytes.
pub fn swizzled(address: u32, swizzle: u32) -> u32 {
    let pieces = (swizzle / PIECE).max(1);
    address ^ (address >> 7 & (pieces - 1)) << 4
}

impl Boxes {
    /// Runs of bytes, whose sizes are operands.
    pub fn run(load: bool) -> Self {
        Self { load, elem: 1, pitch: u32::MAX / PIECE * PIECE, rows: 1, width: 0, height: 1, swizzle: 0 }
    }

    fn is_run(self) -> bool {
        self.rows == 1 && self.elem == 1
    }

    /// The box that one lane moves; `size` is the operand of a run.
    pub fn of_lane(self, size: impl FnOnce() -> u32) -> Self {
        if self.is_run() { Self { width: size(), ..self } } else { self }
    }

    fn bytes(self) -> u32 {
        self.width * self.height
    }

    /// Where byte `byte` of the matrix is in the box at column `x` and row `y`, if it is in it.
    pub fn place_of(self, x: i32, y: i32, byte: u32) -> Option<u32> {
        let (row, column) = (i64::from(byte / self.pitch.max(1)), i64::from(byte % self.pitch.max(1)));
        let (down, across) = (row - i64::from(y), column - i64::from(x) * i64::from(self.elem));
        let inside = (0..i64::from(self.height)).contains(&down) && (0..i64::from(self.width)).contains(&across);
        inside.then(|| u32::try_from(down * i64::from(self.width) + across).unwrap_or(0))
    }

    /// Byte `at` of the box at column `x` and row `y`, as one of the matrix, if it is inside.
    pub fn byte_of(self, x: i32, y: i32, at: u32) -> Option<u32> {
        let (row, column) = (at / self.width.max(1), at % self.width.max(1));
        let (row, column) = (i64::from(row) + i64::from(y), i64::from(column) + i64::from(x) * i64::from(self.elem));
        let inside = (0..i64::from(self.rows)).contains(&row) && (0..i64::from(self.pitch)).contains(&column);
        inside.then(|| u32::try_from(row * i64::from(self.pitch) + column).unwrap_or(0))
    }

    /// Each piece of the box at column `x` and row `y`: where it is in the box, and in the matrix if it is inside.
    fn pieces(self, x: i32, y: i32) -> impl Iterator<Item = (u32, Option<u32>)> {
        let left = i64::from(x) * i64::from(self.elem);
        (0..self.bytes()).step_by(PIECE as usize).map(move |at| {
            let (row, column) = (i64::from(y) + i64::from(at / self.width), left + i64::from(at % self.width));
            let inside = (0..i64::from(self.rows)).contains(&row)
                && (0..=i64::from(self.pitch) - i64::from(PIECE)).contains(&column);
            (at, inside.then(|| u32::try_from(row * i64::from(self.pitch) + column).unwrap_or(u32::MAX)))
        })
    }
}

/// A box on its way to shared memory.
#[derive(Clone, Debug)]
pub struct Flight {
    /// The operation that asked for it, and the lane.
    pub id: u32,
    lane: u32,
    boxes: Boxes,
    /// Where it goes.
    to: u32,
    /// The barrier that counts its bytes.
    barrier: u32,
    words: Vec<u32>,
}

/// A stretch of shared memory that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    id: u32,
    boxes: Boxes,
    from: u32,
}

/// Calls `visit` with up to 32 pieces at a time: their lanes as a mask, and their addresses.
pub fn in_warps<const W: usize>(pieces: impl Iterator<Item = Option<u32>>, mut visit: impl FnMut(u64, &[u32; W])) {
    let (mut addresses, mut mask, mut n) = ([0; W], 0_u64, 0);
    for piece in pieces {
        if let Some(address) = piece {
            addresses[n] = address;
            mask |= 1 << n;
        }
        n += 1;
        if n == W {
            if mask != 0 {
                visit(mask, &addresses);
            }
            (mask, n) = (0, 0);
        }
    }
    if mask != 0 {
        visit(mask, &addresses);
    }
}

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
        around.observer.meet(Meet::Arrives(barrier));
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
            if let Some(barrier) = around.engine.barrier(barrier) {
                barrier.expect(-i64::from(boxes.bytes()));
            }
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
            let addresses = Addresses::Lanes(addresses);
            let access = Access { site, place, kind, op: None, operand: None, mask, addresses, actor: Some(lane) };
            match phase {
                Some(phase) => observer.later(&access, phase),
                None => observer.access(&access),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_eight_rows_are_in_different_banks() {
        for (swizzle, rows) in [(128, 8), (64, 8), (32, 8)] {
            // One column of pieces, in rows of as many bytes as are swizzled.
            let mut banks: Vec<u32> = (0..rows).map(|row| swizzled(row * swizzle, swizzle) % 128).collect();
            banks.sort_unstable();
            assert_eq!(banks, (0..8).map(|i| i * 16).collect::<Vec<_>>());
        }
        assert_eq!(swizzled(0x3F0, 0), 0x3F0);
    }

    #[test]
    fn what_is_outside_of_the_matrix_is_no_piece() {
        let boxes = Boxes { load: true, elem: 2, pitch: 64, rows: 3, width: 32, height: 2, swizzle: 0 };
        let at = |x, y| boxes.pieces(x, y).map(|(_, piece)| piece).collect::<Vec<_>>();
        assert_eq!(at(8, 1), [Some(80), Some(96), Some(144), Some(160)]);
        assert_eq!(at(24, 2), [Some(176), None, None, None]);
        assert_eq!(at(-8, -1), [None, None, None, Some(0)]);
    }
}
