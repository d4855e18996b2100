//! The walk back through operations of whole warps: which registers of which lanes each result was made of.

use super::super::boxes::{Boxes, SIZE, swizzled};
use super::super::collective::{Collective, What};
use super::super::fragment;
use super::super::ir::Mem;
use super::super::matrix::{Rearrange, Shape};
use super::super::memory::{Buffer, Words};
use super::super::ops::Src;
use super::super::wgmma::Wgmma;
use super::{Live, Taken, Walk};
use crate::simt::lanes::lanes_of;

impl Walk<'_> {
    pub(super) fn collective(&mut self, taken: &Taken, together: &Collective) {
        match together.what {
            What::Cooperative { size, .. } => self.cooperative(taken, size, together),
            What::Multiply(shape) => self.product(taken, shape, together),
            What::Rearrange(how) => self.rearranged(taken, how, together),
            What::Copy => self.copied(taken, together),
            What::Wgmma(how) => self.of_shared(taken, how, together),
            What::Box(boxes) => self.boxed(taken, boxes, together),
            // Whether a phase is complete depends on no value.
            What::Mbarrier(_) => _ = self.results(taken, together),
            What::CommitCopies
            | What::WaitForCopies { .. }
            | What::CommitBoxes
            | What::WaitForBoxes { .. }
            | What::CommitProducts
            | What::WaitForProducts { .. }
            | What::NamedBarrier { .. }
            | What::Lanes
            | What::Members(_)
            | What::Fence(_) => {}
        }
    }

    /// Results that mattered and matter no longer, each with what it mattered for.
    fn results(&mut self, taken: &Taken, together: &Collective) -> Vec<Live> {
        // All that is wanted first: a result may lie in the registers of what went into it.
        let wanted = together.d.iter().map(|d| self.vector(taken.warp, *d).take(taken.mask)).collect::<Vec<Live>>();
        wanted.iter().for_each(|live| self.decided_by(taken, live.any()));
        wanted
    }

    /// A product of matrices: an element is made of a row of one, a column of the other, and what was added to.
    fn cooperative(&mut self, taken: &Taken, size: u32, product: &Collective) {
        let warp = taken.warp;
        for (i, live) in self.results(taken, product).into_iter().enumerate() {
            self.vector(warp, product.c[i]).add(live);
            for lane in lanes_of(live.any()) {
                let live = live.of(1 << lane);
                let (row, column) = fragment::position(size, lane, i);
                for (j, (a, b)) in product.a.iter().zip(&product.b).enumerate() {
                    let of = |wanted: &dyn Fn((u32, u32)) -> bool| {
                        let lanes = (0..fragment::LANES).filter(|l| wanted(fragment::position(size, *l, j)));
                        live.moved(lanes.fold(0, |bits, l| bits | 1 << l))
                    };
                    self.vector(warp, *a).add(of(&|(r, _)| r == row));
                    self.vector(warp, *b).add(of(&|(_, c)| c == column));
                }
            }
        }
    }

    /// The same of PTX's shapes.
    fn product(&mut self, taken: &Taken, shape: Shape, product: &Collective) {
        let warp = taken.warp;
        for (i, live) in self.results(taken, product).into_iter().enumerate() {
            for lane in lanes_of(live.any()) {
                let live = live.of(1 << lane);
                for (row, column) in shape.elements(i, lane) {
                    let (reg, lanes) = shape.source_of_sum(row, column);
                    self.vector(warp, product.c[reg]).add(live.moved(lanes));
                    for (reg, lanes) in shape.row_of_a(row) {
                        self.vector(warp, product.a[reg]).add(live.moved(lanes));
                    }
                    for (reg, lanes) in shape.column_of_b(column) {
                        self.vector(warp, product.b[reg]).add(live.moved(lanes));
                    }
                }
            }
        }
    }

    /// A copy counts as a store where it begins: what it brings was loaded then.
    fn copied(&mut self, taken: &Taken, copy: &Collective) {
        let Some(place) = copy.place else { return };
        let mut src = [Src::scalar(0); 4];
        src.iter_mut().zip(&copy.a).for_each(|(src, reg)| *src = Src::vector(*reg));
        self.store(taken, &self.code.places[place as usize], &src);
    }

    /// A product of factors in shared memory, whose words matter then.
    fn of_shared(&mut self, taken: &Taken, how: Wgmma, product: &Collective) {
        let warp = taken.warp;
        let first = taken.mask.trailing_zeros();
        let lefts = product.a.len();
        let given = |i: usize| [self.path.given(taken, i, first), self.path.given(taken, i + 1, first)];
        let of = [given(0), given(lefts)];
        for (i, live) in self.results(taken, product).into_iter().enumerate() {
            for lane in lanes_of(live.any()) {
                let live = live.of(1 << lane);
                for (row, column) in how.shape.elements(i, lane) {
                    let (reg, lanes) = how.shape.source_of_sum(row, column);
                    self.vector(warp, product.c[reg]).add(live.moved(lanes));
                    let mut words = how.words(1, of[1], column);
                    if how.in_registers {
                        for (reg, lanes) in how.shape.row_of_a(row) {
                            self.vector(warp, product.a[reg]).add(live.moved(lanes));
                        }
                    } else {
                        words.extend(how.words(0, of[0], warp % 4 * 16 + row));
                    }
                    for word in words {
                        self.words.entry((None, word)).or_default().live.add(live.moved(1));
                    }
                }
            }
        }
    }

    /// A box that goes to shared memory, or comes from there.
    fn boxed(&mut self, taken: &Taken, boxes: Boxes, of: &Collective) {
        let (Some(place), Some(other)) = (of.place, of.other) else { return };
        let (matrix, shared) = (&self.code.places[place as usize], &self.code.places[other as usize]);
        let Mem::Buffer(buffer) = matrix.mem else { return };
        for lane in lanes_of(taken.mask) {
            let [start, x, y] = [0, 1, 2].map(|i| self.path.given(taken, i, lane));
            let (x, y) = (x.cast_signed(), y.cast_signed());
            let boxes = boxes.of_lane(|| self.path.given(taken, SIZE, lane));
            let mut here: Vec<(u32, Option<u32>)> = Vec::new();
            for (of, byte) in self.words.keys() {
                match (boxes.load, of) {
                    (true, None) => {
                        // Swizzling twice is not swizzling.
                        let at = swizzled(*byte, boxes.swizzle).wrapping_sub(start);
                        if at < boxes.width * boxes.height {
                            here.push((*byte, boxes.byte_of(x, y, at)));
                        }
                    }
                    (false, Some(of)) if *of == buffer => {
                        let at = boxes.place_of(x, y, *byte);
                        here.extend(at.map(|at| (*byte, Some(swizzled(start + at, boxes.swizzle)))));
                    }
                    _ => {}
                }
            }
            here.sort_unstable();
            for (byte, from) in here {
                let Some(live) = self.stored(taken, if boxes.load { shared } else { matrix }, byte, lane) else {
                    continue;
                };
                self.decided_by(taken, live.any());
                match from {
                    Some(from) if boxes.load => {
                        let bits = match &self.buffers[usize::from(buffer)] {
                            Buffer::Read(words) => words.word(from as usize / 4),
                            Buffer::Written(words) => words.word(from as usize / 4),
                        };
                        self.found(taken, (place, 0, lane), (from, Some(bits)), live);
                    }
                    Some(from) => self.words.entry((None, from)).or_default().live.add(live.moved(1)),
                    None => {}
                }
            }
        }
    }

    fn rearranged(&mut self, taken: &Taken, how: Rearrange, moved: &Collective) {
        for (i, live) in self.results(taken, moved).into_iter().enumerate() {
            for lane in lanes_of(live.any()) {
                for half in 0..2 {
                    let from = how.source(lane, i, half);
                    self.vector(taken.warp, moved.a[from.reg]).add(live.of(1 << lane).moved(1 << from.lane));
                }
            }
        }
    }
}
