//! Places of memory accesses, operations on values of two registers, and operations of whole warps.

use super::super::classes::Class;
use super::super::code::{Index, Op, Place, Term, Whole};
use super::super::collective::Collective;
use super::super::ir::{Len, Mem, Reg};
use super::super::ops::Src;
use super::super::wide::Wide;
use super::{Emitter, Loc, number};
use crate::trace::Space;

impl Emitter<'_> {
    /// The place `id` of the IR, for the registers as they are now.
    pub(super) fn place(&mut self, id: u32) -> u32 {
        let place = &self.ir.places[id as usize];
        let terms = place.terms.iter().map(|term| {
            let index = match self.locs[term.index as usize] {
                Loc::One(r) => Index::One(r),
                Loc::Linear { base, step } => Index::Linear { base, step },
                Loc::Lanes(r) => Index::Lanes(r),
                Loc::Unset => Index::One(0),
            };
            let len = match term.len {
                Len::Const(len) => len,
                Len::Runtime(extent) => self.length(extent),
                Len::Unsigned | Len::Signed => u32::MAX,
            };
            Term { index, stride: term.stride, len, signed: term.len == Len::Signed }
        });
        let pages = match place.mem {
            Mem::Buffer(buffer) => self.pages.get(usize::from(buffer)).and_then(Option::as_ref),
            Mem::Shared | Mem::Local => None,
        };
        let whole = place.whole.map(|whole| {
            let bytes = match (whole.bytes, place.mem) {
                (Some(bytes), _) => bytes,
                (None, Mem::Buffer(buffer)) => self.sizes[usize::from(buffer)],
                (None, _) => 0,
            };
            let bytes = pages.map_or(i64::from(bytes), |pages| pages.bytes.cast_signed());
            let low = i64::from(whole.low);
            Whole { start: whole.start, low, high: low + bytes }
        });
        let place = Place {
            mem: place.mem,
            space: self.ir.variables.get(usize::from(place.variable)).map_or(Space::Global, |v| v.space),
            variable: place.variable,
            offset: place.offset,
            components: place.components,
            width: place.width,
            unit: place.unit,
            atomic: place.atomic,
            updates: place.updates,
            checked: place.checked,
            returns: place.returns,
            sync: place.sync,
            joined: place.joined,
            vector: place.vector,
            whole,
            pages: pages.cloned(),
            terms: terms.collect(),
            line: place.line,
        };
        self.code.places.push(place);
        number(self.code.places.len() - 1)
    }

    pub(super) fn wide(&mut self, wide: &Wide<Reg, Reg>) {
        let one = wide.reads().all(|reg| self.class(reg) == Class::Uniform);
        let words = wide.op.words();
        let mut args = [[Src::scalar(0); 2]; 3];
        for ((arg, regs), words) in args.iter_mut().zip(&wide.args).zip(words) {
            for (src, reg) in arg.iter_mut().zip(regs).take(words) {
                *src = self.src(*reg);
            }
        }
        let mut dst = [0; 2];
        for (r, reg) in dst.iter_mut().zip(wide.writes()) {
            let loc = self.fresh(if one { Class::Uniform } else { Class::Varying });
            self.locs[reg as usize] = loc;
            if let Loc::One(at) | Loc::Lanes(at) = loc {
                *r = at;
            }
        }
        self.push(Op::Wide { wide: Wide { op: wide.op, dst, args }, one, masked: false });
    }

    /// An operation of the whole warp: all its registers are vectors.
    pub(super) fn collective(&mut self, id: u32) {
        let Collective { what, place, other, a, b, c, d } = &self.ir.collectives[id as usize];
        let [place, other] = [*place, *other].map(|place| place.map(|place| self.place(place)));
        let [a, b, c] = [a, b, c].map(|regs| regs.iter().map(|reg| self.lanes(*reg)).collect());
        let d = d.iter().map(|reg| {
            let r = self.vector();
            self.locs[*reg as usize] = Loc::Lanes(r);
            r
        });
        let d = d.collect();
        self.code.collectives.push(Collective { what: *what, place, other, a, b, c, d });
        self.push(Op::Collective { id: number(self.code.collectives.len() - 1) });
        if what.waits() {
            // Other warps go on here, so a chain of dependent instructions does not go on past it.
            self.block = None;
        }
    }
}
