//! One instruction of the intermediate representation, and what it reads and writes.

use super::collective::Collective;
use super::ir::{Absent, AtomicOp, Ir, Orders, PlaceId, Reg, Votes};
use super::ops::{Binary, Ternary, Unary};
use super::roles::with_roles;
use super::subgroup::Subgroup;
use super::wide::Wide;

with_roles! {
    /// One instruction. Control flow is structured: whatever opens is closed by its `End`.
    #[derive(Clone, Copy, Debug)]
    pub enum Inst {
        /// `dst = op(a)`.
        Un { op: Unary, a: Reg as Read, dst: Reg as Write },
        /// `dst = op(a, b)`.
        Bin { op: Binary, a: Reg as Read, b: Reg as Read, dst: Reg as Write },
        /// `dst = op(a, b, c)`.
        Tri { op: Ternary, a: Reg as Read, b: Reg as Read, c: Reg as Read, dst: Reg as Write },
        /// An operation on values of two registers each.
        Wide { wide: Wide<Reg, Reg> as Wide },
        /// The variable's value now.
        Read { var: Reg as Read, dst: Reg as Write },
        /// Assigns to the variable.
        Write { src: Reg as Read, var: Reg as Write },
        /// Reads as many words as the place has.
        Load { place: PlaceId as Place, dst: [Reg; 4] as Writes },
        /// Writes them.
        Store { place: PlaceId as Place, src: [Reg; 4] as Reads },
        /// Reads and writes one word. `old` gets its value before, `done` whether it was replaced.
        Atomic {
            op: AtomicOp,
            place: PlaceId as Place,
            value: Reg as Read,
            compare: Reg as Compared,
            old: Option<Reg> as Wanted,
            done: Option<Reg> as Wanted,
        },
        /// The same on several words of a lane. For a vector (`place.vector` is not 0), operand i is the value for component i. Else the
        /// first two operands are a 64-bit value, and the last two the 64-bit value to compare with.
        AtomicWords {
            op: AtomicOp,
            place: PlaceId as Place,
            operands: [Reg; 4] as Reads,
            old: Option<[Reg; 4]> as AllWanted,
        },
        /// The warp's clock: the instructions that it executed.
        Clock { dst: [Reg; 2] as Writes },
        /// A loop that waits for others begins another round.
        Spin,
        /// Here begins what follows the barriers with a number, and is reached around them, too.
        GoesOn { number: u8 },
        /// Exchanges the lanes' `a`; each lane gets [`Subgroup::results`] components.
        Subgroup { op: Subgroup, a: Reg as Read, index: Reg as Read, dst: [Reg; 4] as Writes },
        /// An operation that the lanes of a warp do together, as an index of [`Ir::collectives`].
        Collective { id: u32 as Together },
        /// Zeroes `rows` words of local memory from `first`.
        ClearLocal { first: u32, rows: u32 },
        /// A lexical block, which limits where variables live.
        Open,
        /// Ends it.
        Close,
        /// A conditional; `counted` where the source has a branch there.
        If { cond: Reg as Read, counted: bool },
        /// Its other arm.
        Else,
        /// Ends it.
        EndIf,
        /// A construct that `Break` leaves: the body of a `switch`.
        Scope,
        /// Ends it.
        EndScope,
        /// A loop's body.
        Loop,
        /// The part that runs after it, also after a `Continue`.
        Continuing,
        /// Leaves the loop where the condition holds; the last thing before `EndLoop`.
        BreakIf { cond: Reg as Read },
        /// Ends it.
        EndLoop,
        /// Leaves the loop or scope that has `inside` others around this within it.
        Break { inside: u32 },
        /// Goes to the `Continuing` of the loop that has `inside` others around this within it.
        Continue { inside: u32 },
        /// An inlined function's body.
        Fn,
        /// Ends it.
        EndFn,
        /// Leaves the innermost function, or the program.
        Return,
        /// The branch of a `switch`, taken by each lane to the case numbered in `case`.
        Switch { case: Reg as Read },
        /// Waits for the workgroup.
        Barrier(Orders),
        /// Waits for the workgroup, and gives all its lanes the votes of all: how many, whether all, or whether any hold.
        Vote { how: Votes, absent: Absent, a: Reg as Read, dst: Reg as Write },
        /// Prints something, or ends the kernel; an index of [`Ir::says`].
        Say { say: u32 },
    }
}

/// An operand of an [`Inst`], as the instruction declares it.
enum Field<'a> {
    Read(&'a mut Reg),
    Write(&'a mut Reg),
    /// Registers of which the instruction uses the first few: see [`Inst::used`].
    Reads(&'a mut [Reg]),
    Writes(&'a mut [Reg]),
    /// A register that only a compare-exchange reads.
    Compared(&'a mut Reg),
    /// Results that may not be wanted.
    Wanted(&'a mut Option<Reg>),
    AllWanted(&'a mut Option<[Reg; 4]>),
    Wide(&'a mut Wide<Reg, Reg>),
    /// A place of memory; its indices are not among the registers of the instruction.
    Place(&'a mut PlaceId),
    /// An operation of all lanes, with registers of its own.
    Together(&'a mut u32),
}

impl Inst {
    /// Instructions that a GPU would count for it: structure and moves between registers count nothing.
    pub fn weight(&self) -> u32 {
        match self {
            // The rounding that follows an `f16` operation is part of it.
            Self::Un { op: Unary::RoundToHalf, .. } => 0,
            Self::Un { .. }
            | Self::Bin { .. }
            | Self::Tri { .. }
            | Self::Wide { .. }
            | Self::Load { .. }
            | Self::Store { .. }
            | Self::Atomic { .. }
            | Self::AtomicWords { .. }
            | Self::Clock { .. }
            | Self::Subgroup { .. }
            | Self::BreakIf { .. }
            | Self::EndLoop
            | Self::Switch { .. }
            | Self::Vote { .. }
            | Self::Say { .. }
            | Self::Barrier(_) => 1,
            Self::If { counted, .. } => u32::from(*counted),
            Self::Collective { .. } => 1,
            _ => 0,
        }
    }

    /// Calls `visit` with each register that the instruction itself reads; the indices of its place are not among them.
    pub fn reads(&self, ir: &Ir, mut visit: impl FnMut(Reg)) {
        let compares = matches!(self, Self::Atomic { op: AtomicOp::CompareExchange, .. });
        let (mut own, used) = (*self, self.used(ir));
        own.fields(&mut |field| match field {
            Field::Read(reg) => visit(*reg),
            Field::Reads(all) => all.iter().take(used).for_each(|reg| visit(*reg)),
            Field::Compared(reg) if compares => visit(*reg),
            Field::Wide(wide) => wide.reads().for_each(&mut visit),
            Field::Together(id) => {
                let Collective { a, b, c, .. } = &ir.collectives[*id as usize];
                a.iter().chain(b).chain(c).for_each(|reg| visit(*reg));
            }
            _ => {}
        });
    }

    /// Calls `visit` with each register or variable that it writes.
    pub fn writes(&self, ir: &Ir, mut visit: impl FnMut(Reg)) {
        let (mut own, used) = (*self, self.used(ir));
        own.fields(&mut |field| match field {
            Field::Write(reg) => visit(*reg),
            Field::Writes(all) => all.iter().take(used).for_each(|reg| visit(*reg)),
            Field::Wanted(reg) => reg.iter().for_each(|reg| visit(*reg)),
            Field::AllWanted(all) => all.iter().flatten().for_each(|reg| visit(*reg)),
            Field::Wide(wide) => wide.writes().for_each(&mut visit),
            Field::Together(id) => ir.collectives[*id as usize].d.iter().for_each(|reg| visit(*reg)),
            _ => {}
        });
    }

    /// How many registers of a list it uses.
    fn used(&self, ir: &Ir) -> usize {
        match *self {
            Self::Load { place, .. } | Self::Store { place, .. } => ir.places[place as usize].components.into(),
            Self::Subgroup { op, .. } => op.results(),
            _ => usize::MAX,
        }
    }

    /// Whether all that it does is to compute the registers that it writes.
    pub fn computes(&self) -> bool {
        matches!(
            self,
            Self::Un { .. }
                | Self::Bin { .. }
                | Self::Tri { .. }
                | Self::Wide { .. }
                | Self::Read { .. }
                | Self::Write { .. }
        )
    }

    /// Whether it stores to its place, and reads nothing there.
    pub fn stores(&self, ir: &Ir) -> bool {
        match *self {
            Self::Store { .. } => true,
            Self::Collective { id } => ir.collectives[id as usize].what.stores(),
            _ => false,
        }
    }

    /// The place of a memory access.
    pub fn place(&self, ir: &Ir) -> Option<PlaceId> {
        let (mut own, mut found) = (*self, None);
        own.fields(&mut |field| match field {
            Field::Place(place) => found = Some(*place),
            Field::Together(id) => found = ir.collectives[*id as usize].place,
            _ => {}
        });
        found
    }
}
