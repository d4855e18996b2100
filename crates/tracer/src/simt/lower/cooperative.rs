//! Cooperative matrices: each lane's elements in registers, loaded and stored where the lane's place in the matrix says.
//!
//! A load or store counts as one instruction, of as many requests as it takes to move a lane's elements four at a time.

use naga::ir::{CooperativeData, Expression, TypeInner};
use naga::{Handle, Span};

use super::super::collective::{Collective, What};
use super::super::fragment;
use super::super::ir::{Builtin, Inst, Mem, PlaceId, Reg, Term, Width};
use super::super::ops::Binary;
use super::pointer::{Index, Pointer, Root};
use super::types::{Kind, Leaf};
use super::{Frame, Lower};
use warpbook_base::diag::Diagnostic;

type Id = Handle<Expression>;

/// An array of scalars or vectors, from which a matrix begins at an element.
struct Tile {
    array: Pointer,
    first: Reg,
    /// Elements from one row, or column, to the next.
    stride: Reg,
    row_major: bool,
    /// Components of an element of the array.
    components: u32,
    width: Width,
}

impl<'a> Lower<'a> {
    /// The elements that a lane holds of a matrix in memory.
    pub(super) fn cooperative_load(
        &mut self,
        frame: &mut Frame<'a>,
        matrix: &TypeInner,
        data: &CooperativeData,
        span: Span,
    ) -> Result<Vec<Reg>, Diagnostic> {
        let size = self.size(matrix, span)?;
        let tile = self.tile(frame, data, span)?;
        let mut regs = Vec::new();
        for (place, count) in self.places(size, &tile, span)? {
            let mut dst = [0; 4];
            for slot in &mut dst[..count as usize] {
                *slot = self.b.temp();
                regs.push(*slot);
            }
            self.b.uncounted = regs.len() > count as usize;
            self.b.push(Inst::Load { place, dst });
        }
        self.b.uncounted = false;
        Ok(regs)
    }

    /// Stores the elements that a lane holds.
    pub(super) fn cooperative_store(
        &mut self,
        frame: &mut Frame<'a>,
        matrix: Id,
        data: &CooperativeData,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let size = self.size(self.ty(frame, matrix), span)?;
        let values = self.regs(frame, matrix)?;
        let tile = self.tile(frame, data, span)?;
        let mut rest = values.as_slice();
        for (place, count) in self.places(size, &tile, span)? {
            let (now, later) = rest.split_at(count as usize);
            let mut src = [now[0]; 4];
            src[..now.len()].copy_from_slice(now);
            self.b.uncounted = rest.len() < values.len();
            rest = later;
            self.b.push(Inst::Store { place, src });
        }
        self.b.uncounted = false;
        Ok(())
    }

    /// `a · b + c`.
    pub(super) fn multiply_add(
        &mut self,
        frame: &mut Frame<'a>,
        (a, b, c): (Id, Id, Id),
        span: Span,
    ) -> Result<Vec<Reg>, Diagnostic> {
        let sizes = [a, b, c].map(|id| self.size(self.ty(frame, id), span));
        let [size, of_b, of_c] = sizes;
        let size = size?;
        if of_b? != size || of_c? != size {
            return Err(self.unsupported("a product of matrices of different sizes", span));
        }
        let half = self.kind(frame, c)? == Kind::Half;
        let (a, b, c) = (self.regs(frame, a)?, self.regs(frame, b)?, self.regs(frame, c)?);
        self.b.at(span);
        let d: Vec<Reg> = c.iter().map(|_| self.b.temp()).collect();
        self.b.collective(Collective::on(What::Cooperative { size, half }, [a, b, c, d.clone()]));
        Ok(d)
    }

    /// Rows and columns of a matrix, which are as many.
    fn size(&mut self, matrix: &TypeInner, span: Span) -> Result<u32, Diagnostic> {
        self.b.ir.cooperative = true;
        match *matrix {
            TypeInner::CooperativeMatrix { columns, rows, .. } if columns == rows => Ok(columns as u32),
            _ => Err(self.unsupported("a cooperative matrix of this shape", span)),
        }
    }

    fn tile(&mut self, frame: &mut Frame<'a>, data: &CooperativeData, span: Span) -> Result<Tile, Diagnostic> {
        let (base, first) = match frame.fun.expressions[data.pointer] {
            Expression::Access { base, index } => (base, self.reg(frame, index)?),
            Expression::AccessIndex { base, index } => (base, self.b.constant(index)),
            _ => return Err(self.unsupported("a matrix that does not begin at an element of an array", span)),
        };
        let array = self.pointer(frame, base)?;
        let stride = self.reg(frame, data.stride)?;
        let in_memory = matches!(array.root, Root::Memory { mem: Mem::Buffer(_) | Mem::Shared, packed: false, .. });
        let (components, scalar) = match array.ty {
            TypeInner::Array { base, .. } if in_memory => match *self.type_inner(base) {
                TypeInner::Scalar(scalar) => (1, scalar),
                TypeInner::Vector { size, scalar } => (size as u32, scalar),
                _ => (0, naga::Scalar::U32),
            },
            _ => (0, naga::Scalar::U32),
        };
        if !components.is_power_of_two() {
            let what = "a matrix that is not in an array of numbers, or of vectors of two or four of them, in a buffer or \
                        workgroup memory";
            return Err(self.unsupported(what, span));
        }
        let width = if scalar.width == 2 { Width::Half } else { Width::Word };
        Ok(Tile { array, first, stride, row_major: data.row_major, components, width })
    }

    /// Where a lane's elements are: in their order, a place for each few of them that lie side by side.
    fn places(&mut self, size: u32, tile: &Tile, span: Span) -> Result<Vec<(PlaceId, u32)>, Diagnostic> {
        let (run, sharing) = (fragment::run(size), fragment::lanes_of_row(size));
        // Elements that one access moves.
        let step = match (tile.row_major, tile.components) {
            (false, _) => 1,
            (true, 1) => run,
            (true, components) => run.min(components),
        };
        self.b.at(span);
        self.b.uncounted = true;
        let lane = self.b.builtin(Builtin::Lane);
        let shift = self.b.constant(sharing.ilog2());
        let row = self.b.bin(Binary::UShr, lane, shift);
        let last = self.b.constant(sharing - 1);
        let part = self.b.bin(Binary::And, lane, last);
        let run_of = self.b.constant(run);
        let part = self.b.bin(Binary::IMul, part, run_of);
        let mut places = Vec::new();
        for i in (0..fragment::held(size)).step_by(step as usize) {
            let (_, before) = fragment::position(size, 0, i as usize);
            let before = self.b.constant(before);
            let column = self.b.bin(Binary::IAdd, part, before);
            let (major, minor) = if tile.row_major { (row, column) } else { (column, row) };
            places.push((self.element(tile, (major, minor), step, span)?, step));
        }
        self.b.uncounted = false;
        Ok(places)
    }

    /// The place of `count` elements from one on, which is number `minor` of row, or column, `major`.
    fn element(
        &mut self,
        tile: &Tile,
        (major, minor): (Reg, Reg),
        count: u32,
        span: Span,
    ) -> Result<PlaceId, Diagnostic> {
        let shift = self.b.constant(tile.components.ilog2());
        let across = self.b.bin(Binary::UShr, minor, shift);
        let down = self.b.bin(Binary::IMul, major, tile.stride);
        let index = self.b.bin(Binary::IAdd, down, across);
        let index = self.b.bin(Binary::IAdd, index, tile.first);
        let outside = |lower: &Self| lower.unsupported("a matrix in this array", span);
        let mut pointer = self.element_pointer(&tile.array, Index::Register(index)).ok_or_else(|| outside(self))?;
        if tile.components > 1 {
            let last = self.b.constant(tile.components - 1);
            let within = self.b.bin(Binary::And, minor, last);
            pointer = self.element_pointer(&pointer, Index::Register(within)).ok_or_else(|| outside(self))?;
        } else if let Some(first) = pointer.terms.last().copied() {
            // The last one has to be inside too.
            let more = self.b.constant(count - 1);
            let index = self.b.bin(Binary::IAdd, index, more);
            pointer.terms.push(Term { index, stride: 0, len: first.len });
        }
        // The lanes of a warp store a matrix together.
        pointer.vector = 0;
        #[expect(clippy::cast_possible_truncation, reason = "four at most")]
        Ok(self.place(&pointer, Leaf { offset: 0, components: count as u8, width: tile.width }))
    }
}
