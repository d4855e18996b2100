//! The code of a warp: a flat list of operations on scalar and vector registers and lane masks.
//!
//! Where the lanes part, some wait in a *mask slot* until the others are done: `Split` and `Leave` put lanes there,
//! `Swap` and `Join` take them back. Code between these always runs with some lane active: whatever may leave none
//! jumps to the next operation that may wake some.

use std::sync::Arc;

use super::collective::Collective;
use super::ir::{Absent, AtomicOp, Builtin, Joined, Mem, Orders, Sync, Votes, Width};
use super::ops::{Binary, Src, Ternary, Unary};
use super::pages::Pages;
use super::roles::with_roles;
use super::say::Say;
use super::subgroup::Subgroup;
use super::wide::Wide;
use crate::trace::Space;

with_roles! {
    /// One operation. Jump targets are indices of operations; a `masked` result is kept from inactive lanes.
    #[derive(Clone, Copy, Debug)]
    pub enum Op {
        /// A basic block starts: counts, and pays for, its instructions.
        Enter(u32),
        /// Scalar `dst = op(a)`.
        SUn { op: Unary, a: u32 as ReadOne, dst: u32 as WriteOne },
        /// Scalar `dst = op(a, b)`.
        SBin { op: Binary, a: u32 as ReadOne, b: u32 as ReadOne, dst: u32 as WriteOne },
        /// Scalar `dst = op(a, b, c)`.
        STri { op: Ternary, a: u32 as ReadOne, b: u32 as ReadOne, c: u32 as ReadOne, dst: u32 as WriteOne },
        /// Vector `dst = op(a)`.
        VUn { op: Unary, a: u32 as Read, dst: u32 as Write, masked: bool },
        /// Vector `dst = op(a, b)`.
        VBin { op: Binary, a: Src as Source, b: Src as Source, dst: u32 as Write, masked: bool },
        /// Vector `dst = op(a, b, c)`.
        VTri { op: Ternary, a: Src as Source, b: Src as Source, c: Src as Source, dst: u32 as Write, masked: bool },
        /// An operation on values of two registers each: scalars if `one`, else vectors.
        Wide { wide: Wide<u32, Src> as Wide, one: bool, masked: bool },
        /// Scalar `a` in all lanes of vector `dst`.
        Fill { a: u32 as ReadOne, dst: u32 as Write, masked: bool },
        /// Scalars `base + lane·step` in vector `dst`.
        Ramp { base: u32 as ReadOne, step: u32 as ReadOne, dst: u32 as Write, masked: bool },
        /// Loads from a uniform place, into scalars.
        LoadOne { place: u32 as Place, dst: [u32; 4] as WriteOnes },
        /// Loads into vectors.
        Load { place: u32 as Place, dst: [u32; 4] as Writes },
        /// Stores.
        Store { place: u32 as Place, src: [Src; 4] as Sources },
        /// Reads and writes one word a lane, lanes in order.
        Atomic {
            op: AtomicOp,
            place: u32 as Place,
            value: Src as Source,
            compare: Src as Source,
            old: u32 as Write,
            done: u32 as Write,
        },
        /// The same on 64 bits.
        AtomicWords { op: AtomicOp, place: u32 as Place, operands: [Src; 4] as Sources, old: [u32; 4] as Writes },
        /// The warp's clock, into scalars.
        Clock { dst: [u32; 2] as WriteOnes },
        /// A loop that waits for others begins another round.
        Spin,
        /// The lanes are behind the barriers with this number, whether they came to them or not.
        GoesOn { number: u8 },
        /// Exchanges the lanes' vector `a`, into scalars if `one`, else into vectors.
        Subgroup { op: Subgroup, a: u32 as Read, index: Src as Source, dst: [u32; 4] as Writes, one: bool },
        /// Does something with all lanes together, as an index of [`Code::collectives`].
        Collective { id: u32 as Together },
        /// Zeroes rows of local memory.
        ClearLocal { first: u32, rows: u32 },
        /// Goes to `to`.
        Jump { to: u32 as Target },
        /// Goes to `to` where scalar `cond` is `when`: all lanes agree.
        JumpIf { cond: u32 as ReadOne, when: bool, counted: bool, to: u32 as Target },
        /// Keeps the lanes for which vector `cond` is `when`; the others wait in `slot`. Goes to `to` if none are left.
        Split { cond: u32 as Read, when: bool, counted: bool, slot: u32, to: u32 as Target },
        /// Exchanges the lanes with those in `slot`, and goes to `to` if none come.
        Swap { slot: u32, to: u32 as Target },
        /// Wakes the lanes in `slot`, and goes to `to` if there are still none.
        Join { slot: u32, to: u32 as Target },
        /// Makes `slot` empty.
        Clear { slot: u32 },
        /// All lanes wait in `slot`.
        Leave { slot: u32, to: u32 as Target },
        /// The lanes for which vector `cond` holds wait in `slot`.
        LeaveIf { cond: u32 as Read, slot: u32 },
        /// Goes back to `to` if any lane is left.
        Again { to: u32 as Target },
        /// The lanes are done.
        Exit { to: u32 as Target },
        /// Counts the branch of a `switch`.
        Switch { case: Src as Source },
        /// Waits for the other warps.
        Barrier(Orders),
        /// Waits for the other warps; scalar `dst` gets the votes of all lanes, each by vector `a`.
        Vote { how: Votes, absent: Absent, a: u32 as Read, dst: u32 as WriteOne },
        /// Prints something, or ends the kernel; an index of [`Code::says`].
        Say { say: u32 },
        /// The warp is done.
        End,
    }
}

/// An operand of an [`Op`], as the operation declares it.
enum Field<'a> {
    /// A scalar register that is read or written.
    ReadOne(&'a mut u32),
    WriteOne(&'a mut u32),
    /// A vector register.
    Read(&'a mut u32),
    /// A vector register, or [`NONE`].
    Write(&'a mut u32),
    /// A register of either file that is read.
    Source(&'a mut Src),
    /// Registers of which the operation uses the first few: see [`Op::used`].
    WriteOnes(&'a mut [u32]),
    Writes(&'a mut [u32]),
    Sources(&'a mut [Src]),
    Wide(&'a mut Wide<u32, Src>),
    /// A place of memory, whose indices are read.
    Place(&'a mut u32),
    /// An operation of all lanes, with registers of its own.
    Together(&'a mut u32),
    /// Where it goes.
    Target(&'a mut u32),
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
    /// The waits in `waits_global` for a load whose address depends on its own earlier results.
    pub waits_chased: u32,
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

impl Src {
    /// Calls `visit` with the register, which it may change.
    fn mention(&mut self, visit: &mut impl FnMut(Mention<'_>)) {
        let mut reg = self.reg();
        if self.is_scalar() {
            visit(Mention::ReadOne(&mut reg));
            *self = Self::scalar(reg);
        } else {
            visit(Mention::Read(&mut reg));
            *self = Self::vector(reg);
        }
    }
}

impl Place {
    /// Calls `visit` with the registers of its indices.
    fn mentions(&mut self, visit: &mut impl FnMut(Mention<'_>)) {
        for term in &mut self.terms {
            match &mut term.index {
                Index::One(r) => visit(Mention::ReadOne(r)),
                Index::Linear { base, step } => [base, step].into_iter().for_each(|r| visit(Mention::ReadOne(r))),
                Index::Lanes(r) => visit(Mention::Read(r)),
            }
        }
    }
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
        let used = self.used(places);
        let write = if self.is_of_scalars() { WriteOne } else { Write };
        self.fields(&mut |field| match field {
            Field::ReadOne(r) => visit(ReadOne(r)),
            Field::WriteOne(r) => visit(WriteOne(r)),
            Field::Read(r) => visit(Read(r)),
            Field::Write(r) if *r == NONE => {}
            Field::Write(r) => visit(Write(r)),
            Field::Source(src) => src.mention(visit),
            Field::Sources(all) => all.iter_mut().take(used).for_each(|src| src.mention(visit)),
            Field::WriteOnes(all) => all.iter_mut().take(used).for_each(|r| visit(WriteOne(r))),
            Field::Writes(all) => all.iter_mut().take(used).filter(|r| **r != NONE).for_each(|r| visit(write(r))),
            Field::Wide(wide) => {
                for (arg, words) in wide.args.iter_mut().zip(wide.op.words()) {
                    arg.iter_mut().take(words).for_each(|src| src.mention(visit));
                }
                wide.dst.iter_mut().take(wide.op.results()).for_each(|r| visit(write(r)));
            }
            Field::Place(place) => places[*place as usize].mentions(visit),
            Field::Together(id) => {
                let Collective { place, a, b, c, d, .. } = &mut collectives[*id as usize];
                place.iter().for_each(|place| places[*place as usize].mentions(visit));
                a.iter_mut().chain(b).chain(c).for_each(|r| visit(Read(r)));
                d.iter_mut().for_each(|r| visit(Write(r)));
            }
            Field::Target(_) => {}
        });
    }

    /// How many registers of a list it uses.
    fn used(&self, places: &[Place]) -> usize {
        match self {
            Self::LoadOne { place, .. } | Self::Load { place, .. } | Self::Store { place, .. } => {
                places[*place as usize].components.into()
            }
            Self::Subgroup { op, .. } => op.results(),
            _ => usize::MAX,
        }
    }

    /// Whether its results are scalars although others of its kind have vectors.
    fn is_of_scalars(&self) -> bool {
        matches!(self, Self::Wide { one: true, .. } | Self::Subgroup { one: true, .. })
    }

    /// Whether it moves or computes a value; the others are control flow.
    pub fn moves(&self) -> bool {
        matches!(
            self,
            Self::SUn { .. }
                | Self::SBin { .. }
                | Self::STri { .. }
                | Self::VUn { .. }
                | Self::VBin { .. }
                | Self::VTri { .. }
                | Self::Wide { .. }
                | Self::Fill { .. }
                | Self::Ramp { .. }
                | Self::LoadOne { .. }
                | Self::Load { .. }
                | Self::Store { .. }
                | Self::Atomic { .. }
                | Self::AtomicWords { .. }
                | Self::Subgroup { .. }
                | Self::Collective { .. }
                | Self::ClearLocal { .. }
        )
    }

    /// Whether lanes may go different ways from it.
    pub fn branches(&self) -> bool {
        matches!(self, Self::JumpIf { .. } | Self::Split { .. } | Self::LeaveIf { .. })
    }

    /// The jump target, where there is one.
    pub fn target(&mut self) -> Option<&mut u32> {
        let mut target = None;
        self.fields(&mut |field| {
            if let Field::Target(to) = field {
                target = Some(to);
            }
        });
        target
    }
}
