//! The code of a warp: a flat list of operations on scalar and vector registers and lane masks.
//!
//! Where the lanes part, some wait in a *mask slot* until the others are done: `Split` and `Leave` put lanes there,
//! `Swap` and `Join` take them back. Code between these always runs with some lane active: whatever may leave none
//! jumps to the next operation that may wake some.

use std::sync::Arc;

use super::collective::Collective;
use super::ir::{AtomicOp, Builtin, Joined, Mem, Orders, Sync, Votes, Width};
use super::ops::{Binary, Src, Ternary, Unary};
use super::pages::Pages;
use super::say::Say;
use super::subgroup::Subgroup;
use super::wide::Wide;
use crate::trace::Space;

/// One operation. Jump targets are indices of operations; a `masked` result is kept from inactive lanes.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// A basic block starts: counts, and pays for, its instructions.
    Enter(u32),
    /// Scalar `dst = op(a)`.
    SUn { op: Unary, dst: u32, a: u32 },
    /// Scalar `dst = op(a, b)`.
    SBin { op: Binary, dst: u32, a: u32, b: u32 },
    /// Scalar `dst = op(a, b, c)`.
    STri { op: Ternary, dst: u32, a: u32, b: u32, c: u32 },
    /// Vector `dst = op(a)`.
    VUn { op: Unary, dst: u32, a: u32, masked: bool },
    /// Vector `dst = op(a, b)`.
    VBin { op: Binary, dst: u32, a: Src, b: Src, masked: bool },
    /// Vector `dst = op(a, b, c)`.
    VTri { op: Ternary, dst: u32, a: Src, b: Src, c: Src, masked: bool },
    /// An operation on values of two registers each: scalars if `one`, else vectors.
    Wide { wide: Wide<u32, Src>, one: bool, masked: bool },
    /// Scalar `a` in all lanes of vector `dst`.
    Fill { dst: u32, a: u32, masked: bool },
    /// Scalars `base + lane·step` in vector `dst`.
    Ramp { dst: u32, base: u32, step: u32, masked: bool },
    /// Loads from a uniform place, into scalars.
    LoadOne { place: u32, dst: [u32; 4] },
    /// Loads into vectors.
    Load { place: u32, dst: [u32; 4] },
    /// Stores.
    Store { place: u32, src: [Src; 4] },
    /// Reads and writes one word a lane, lanes in order.
    Atomic { op: AtomicOp, place: u32, value: Src, compare: Src, old: u32, done: u32 },
    /// The same on 64 bits.
    AtomicWords { op: AtomicOp, place: u32, operands: [Src; 4], old: [u32; 4] },
    /// The warp's clock, into scalars.
    Clock { dst: [u32; 2] },
    /// A loop that waits for others begins another round.
    Spin,
    /// Exchanges the lanes' vector `a`, into scalars if `one`, else into vectors.
    Subgroup { op: Subgroup, dst: [u32; 4], a: u32, index: Src, one: bool },
    /// Does something with all lanes together, as an index of [`Code::collectives`].
    Collective { id: u32 },
    /// Zeroes rows of local memory.
    ClearLocal { first: u32, rows: u32 },
    /// Goes to `to`.
    Jump { to: u32 },
    /// Goes to `to` where scalar `cond` is `when`: all lanes agree.
    JumpIf { cond: u32, when: bool, counted: bool, to: u32 },
    /// Keeps the lanes for which vector `cond` is `when`; the others wait in `slot`. Goes to `to` if none are left.
    Split { cond: u32, when: bool, counted: bool, slot: u32, to: u32 },
    /// Exchanges the lanes with those in `slot`, and goes to `to` if none come.
    Swap { slot: u32, to: u32 },
    /// Wakes the lanes in `slot`, and goes to `to` if there are still none.
    Join { slot: u32, to: u32 },
    /// Makes `slot` empty.
    Clear { slot: u32 },
    /// All lanes wait in `slot`.
    Leave { slot: u32, to: u32 },
    /// The lanes for which vector `cond` holds wait in `slot`.
    LeaveIf { cond: u32, slot: u32 },
    /// Goes back to `to` if any lane is left.
    Again { to: u32 },
    /// The lanes are done.
    Exit { to: u32 },
    /// Counts the branch of a `switch`.
    Switch { case: Src },
    /// Waits for the other warps.
    Barrier(Orders),
    /// Waits for the other warps; scalar `dst` gets the votes of all lanes, each by vector `a`.
    Vote { how: Votes, a: u32, dst: u32 },
    /// Prints something, or ends the kernel; an index of [`Code::says`].
    Say { say: u32 },
    /// The warp is done.
    End,
}

/// No register: an atomic's unused result.
pub const NONE: u32 = u32::MAX;

/// An index on the way to a place.
#[derive(Clone, Copy, Debug)]
pub enum Index {
    /// A scalar.
    One(u32),
    /// Scalars `base + lane·step`.
    Linear { base: u32, step: u32 },
    /// A vector.
    Lanes(u32),
}

/// One index of a [`Place`].
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The index.
    pub index: Index,
    /// Bytes that one step of it moves.
    pub stride: i64,
    /// Indices from here on are out of bounds, unless the place has bounds as a whole.
    pub len: u32,
    /// Whether the index is a signed number, where the place has bounds as a whole.
    pub signed: bool,
}

impl Term {
    /// The bytes that an index moves, modulo 2³².
    #[inline(always)]
    pub fn moved(&self, index: u32) -> u32 {
        index.wrapping_mul(self.stride as u32)
    }

    /// The bytes that an index moves, in 64 bits, where the place has bounds as a whole.
    #[inline(always)]
    pub fn wide(&self, index: u32) -> i64 {
        let index = if self.signed { i64::from(index.cast_signed()) } else { i64::from(index) };
        index.wrapping_mul(self.stride)
    }
}

/// The bounds of an address that is computed as a number: byte `start + Σ index·stride` of a memory, in 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// The constant part of the address.
    pub start: i64,
    /// The first byte that may be reached.
    pub low: i64,
    /// The first byte after `low` that may not.
    pub high: i64,
}

impl Whole {
    /// Whether `bytes` from `address` on are within the bounds.
    #[inline(always)]
    pub fn reaches(&self, address: i64, bytes: u32) -> bool {
        (self.low..=self.high - i64::from(bytes)).contains(&address)
    }
}

/// Where a memory access goes.
#[derive(Clone, Debug)]
pub struct Place {
    /// The memory.
    pub mem: Mem,
    /// How an access is counted; of no meaning for local arrays, which are not counted.
    pub space: Space,
    /// The variable, as an index into the program's.
    pub variable: u16,
    /// Constant part of the address, in bytes.
    pub offset: u32,
    /// Components a lane moves.
    pub components: u8,
    /// How wide each is.
    pub width: Width,
    /// Bytes of an element, as messages count them.
    pub unit: u8,
    /// Whether it is an atomic or another strong access.
    pub atomic: bool,
    /// Whether it loads a word whose changed value is stored there, or stores such a value.
    pub updates: bool,
    /// Whether it is a load whose value a compare-exchange at the same address checks.
    pub checked: bool,
    /// Whether it is an atomic whose returned value is used.
    pub returns: bool,
    /// How it orders other accesses.
    pub sync: Sync,
    /// How lanes of an atomic are joined.
    pub joined: Joined,
    /// Bytes of the vector that it is a component of; 0 if it is not one.
    pub vector: u8,
    /// The bounds of the sum; None if each index has its own.
    pub whole: Option<Whole>,
    /// The pages of its buffer; None if the buffer is in memory as a whole.
    pub pages: Option<Arc<Pages>>,
    /// Variable part.
    pub terms: Vec<Term>,
    /// Source line.
    pub line: u32,
}

impl Place {
    /// Whether it is strong, with a scope of one workgroup.
    pub fn is_narrow(&self) -> bool {
        self.atomic && !self.sync.wide
    }

    /// Bytes a lane moves.
    pub fn bytes(&self) -> u32 {
        u32::from(self.components * self.width.bytes())
    }
}

/// A basic block's share of the counts.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Instructions by source line.
    pub lines: Vec<(u32, u32)>,
    /// Instructions altogether.
    pub weight: u32,
    /// Waits of a warp for loads from buffers; see [`super::chains`].
    pub waits_global: u32,
    /// Waits for loads from workgroup memory.
    pub waits_shared: u32,
    /// Length of the longest chain of dependent instructions.
    pub chain: u32,
    /// Products of cooperative matrices.
    pub products: u32,
}

/// The initial contents of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Always the same.
    Word(u32),
    /// A built-in: a scalar has that of the warp's first lane, a vector those of all.
    Builtin(Builtin),
}

/// A program for warps of one width, in workgroups of one shape, on buffers of known sizes.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// Operations.
    pub ops: Vec<Op>,
    /// The source line of each.
    pub lines: Vec<u32>,
    /// Places of memory accesses.
    pub places: Vec<Place>,
    /// The kernel's prints and assertions.
    pub says: Vec<Say>,
    /// Operations of the whole warp, on vector registers.
    pub collectives: Vec<Collective>,
    /// Basic blocks.
    pub blocks: Vec<Block>,
    /// First values of scalar registers from 0 on.
    pub given_scalars: Vec<Given>,
    /// First values of vector registers from 0 on.
    pub given_vectors: Vec<Given>,
    /// Scalar registers.
    pub scalars: u32,
    /// Vector registers; rows of local memory come after them.
    pub vectors: u32,
    /// Rows of local memory.
    pub local_words: u32,
    /// Mask slots.
    pub slots: u32,
    /// Loops, as first and last operation, inner ones first.
    pub loops: Vec<(u32, u32)>,
    /// Whether its lanes may order what they do by fences or strong accesses, beyond barriers.
    pub releases: bool,
}

impl Code {
    /// Bytes of the narrowest access.
    pub fn grain(&self) -> u32 {
        self.places.iter().map(|place| u32::from(place.width.bytes())).min().unwrap_or(4)
    }
}

/// A register as an operation mentions it.
pub enum Mention<'a> {
    /// A scalar register that is read.
    ReadOne(&'a mut u32),
    /// A scalar register that is written.
    WriteOne(&'a mut u32),
    /// A vector register that is read.
    Read(&'a mut u32),
    /// A vector register that is written.
    Write(&'a mut u32),
}

impl Op {
    /// Calls `visit` with every register that the operation mentions, also those of its places.
    pub fn mentions(
        &mut self,
        places: &mut [Place],
        collectives: &mut [Collective],
        visit: &mut impl FnMut(Mention<'_>),
    ) {
        use Mention::{Read, ReadOne, Write, WriteOne};
        fn src(s: &mut Src, visit: &mut impl FnMut(Mention<'_>)) {
            let mut reg = s.reg();
            if s.is_scalar() {
                visit(ReadOne(&mut reg));
                *s = Src::scalar(reg);
            } else {
                visit(Read(&mut reg));
                *s = Src::vector(reg);
            }
        }
        fn indices(place: &mut Place, visit: &mut impl FnMut(Mention<'_>)) {
            for term in &mut place.terms {
                match &mut term.index {
                    Index::One(r) => visit(ReadOne(r)),
                    Index::Linear { base, step } => [base, step].into_iter().for_each(|r| visit(ReadOne(r))),
                    Index::Lanes(r) => visit(Read(r)),
                }
            }
        }
        match self {
            Self::SUn { dst, a, .. } => {
                visit(ReadOne(a));
                visit(WriteOne(dst));
            }
            Self::SBin { dst, a, b, .. } => {
                [a, b].into_iter().for_each(|r| visit(ReadOne(r)));
                visit(WriteOne(dst));
            }
            Self::STri { dst, a, b, c, .. } => {
                [a, b, c].into_iter().for_each(|r| visit(ReadOne(r)));
                visit(WriteOne(dst));
            }
            Self::VUn { dst, a, .. } => {
                visit(Read(a));
                visit(Write(dst));
            }
            Self::VBin { dst, a, b, .. } => {
                [a, b].into_iter().for_each(|s| src(s, visit));
                visit(Write(dst));
            }
            Self::VTri { dst, a, b, c, .. } => {
                [a, b, c].into_iter().for_each(|s| src(s, visit));
                visit(Write(dst));
            }
            Self::Wide { wide, one, .. } => {
                let words = wide.op.words();
                for (arg, words) in wide.args.iter_mut().zip(words) {
                    arg.iter_mut().take(words).for_each(|s| src(s, visit));
                }
                let (results, write) = (wide.op.results(), if *one { WriteOne } else { Write });
                wide.dst.iter_mut().take(results).for_each(|r| visit(write(r)));
            }
            Self::Fill { dst, a, .. } => {
                visit(ReadOne(a));
                visit(Write(dst));
            }
            Self::Ramp { dst, base, step, .. } => {
                [base, step].into_iter().for_each(|r| visit(ReadOne(r)));
                visit(Write(dst));
            }
            Self::LoadOne { place, dst } => {
                let place = &mut places[*place as usize];
                indices(place, visit);
                dst[..usize::from(place.components)].iter_mut().for_each(|r| visit(WriteOne(r)));
            }
            Self::Load { place, dst } => {
                let place = &mut places[*place as usize];
                indices(place, visit);
                dst[..usize::from(place.components)].iter_mut().for_each(|r| visit(Write(r)));
            }
            Self::Store { place, src: values } => {
                let place = &mut places[*place as usize];
                indices(place, visit);
                values[..usize::from(place.components)].iter_mut().for_each(|s| src(s, visit));
            }
            Self::Atomic { place, value, compare, old, done, .. } => {
                indices(&mut places[*place as usize], visit);
                [value, compare].into_iter().for_each(|s| src(s, visit));
                [old, done].into_iter().filter(|r| **r != NONE).for_each(|r| visit(Write(r)));
            }
            Self::AtomicWords { place, operands, old, .. } => {
                indices(&mut places[*place as usize], visit);
                operands.iter_mut().for_each(|s| src(s, visit));
                old.iter_mut().filter(|r| **r != NONE).for_each(|r| visit(Write(r)));
            }
            Self::Clock { dst } => dst.iter_mut().for_each(|r| visit(WriteOne(r))),
            Self::Subgroup { op, dst, a, index, one } => {
                visit(Read(a));
                src(index, visit);
                let write = if *one { WriteOne } else { Write };
                dst[..op.results()].iter_mut().for_each(|r| visit(write(r)));
            }
            Self::Collective { id } => {
                let Collective { place, a, b, c, d, .. } = &mut collectives[*id as usize];
                if let Some(place) = place {
                    indices(&mut places[*place as usize], visit);
                }
                a.iter_mut().chain(b).chain(c).for_each(|r| visit(Read(r)));
                d.iter_mut().for_each(|r| visit(Write(r)));
            }
            Self::Vote { a, dst, .. } => {
                visit(Read(a));
                visit(WriteOne(dst));
            }
            Self::JumpIf { cond, .. } => visit(ReadOne(cond)),
            Self::Split { cond, .. } | Self::LeaveIf { cond, .. } => visit(Read(cond)),
            Self::Switch { case } => src(case, visit),
            Self::Enter(_)
            | Self::ClearLocal { .. }
            | Self::Jump { .. }
            | Self::Swap { .. }
            | Self::Join { .. }
            | Self::Clear { .. }
            | Self::Leave { .. }
            | Self::Again { .. }
            | Self::Exit { .. }
            | Self::Barrier(_)
            | Self::Say { .. }
            | Self::Spin
            | Self::End => {}
        }
    }

    /// Whether it moves or computes a value; the others are control flow.
    pub fn moves(&self) -> bool {
        match self {
            Self::SUn { .. } | Self::SBin { .. } | Self::STri { .. } => true,
            Self::Wide { .. } => true,
            Self::VUn { .. } | Self::VBin { .. } | Self::VTri { .. } | Self::Fill { .. } | Self::Ramp { .. } => true,
            Self::LoadOne { .. } | Self::Load { .. } | Self::Store { .. } => true,
            Self::Atomic { .. } | Self::AtomicWords { .. } => true,
            Self::Clock { .. } | Self::Spin => false,
            Self::Subgroup { .. } | Self::Collective { .. } | Self::ClearLocal { .. } => true,
            Self::Enter(_) | Self::Jump { .. } | Self::JumpIf { .. } | Self::Switch { .. } => false,
            Self::Split { .. } | Self::Swap { .. } | Self::Join { .. } | Self::Clear { .. } => false,
            Self::Leave { .. } | Self::LeaveIf { .. } | Self::Again { .. } | Self::Exit { .. } => false,
            Self::Barrier(_) | Self::Vote { .. } | Self::Say { .. } | Self::End => false,
        }
    }

    /// Whether lanes may go different ways from it.
    pub fn branches(&self) -> bool {
        matches!(self, Self::JumpIf { .. } | Self::Split { .. } | Self::LeaveIf { .. })
    }

    /// The jump target, where there is one.
    pub fn target(&mut self) -> Option<&mut u32> {
        match self {
            Self::Jump { to }
            | Self::JumpIf { to, .. }
            | Self::Split { to, .. }
            | Self::Swap { to, .. }
            | Self::Join { to, .. }
            | Self::Leave { to, .. }
            | Self::Again { to }
            | Self::Exit { to } => Some(to),
            _ => None,
        }
    }
}
