//! Observers of a run. An observer is a type parameter of the interpreter, so that a run without one pays nothing.

mod banks;
mod between;
mod checks;
mod clock;
mod counts;
mod course;
mod critical;
mod deed;
mod discarded;
mod divergence;
mod far;
mod findings;
mod global;
mod handed;
mod heat;
mod known;
mod landing;
mod mend;
mod names;
mod order;
mod pair;
mod parts;
mod path;
mod pattern;
mod profile;
mod published;
mod race;
mod reuse;
mod sectors;
mod step;
mod stored;
mod timeline;
mod uniforms;
mod uninitialized;
mod watch;
mod witness;
mod word;

pub use between::{Between, Raced, Standing};
pub use checks::Checks;
pub use counts::{Counter, Suspended};
pub use course::{Following, Trail, Watched};
pub use discarded::{Discarded, MAX_LINES};
pub use findings::{Findings, Outside};
pub use global::Global;
pub use heat::{Fetched, Fetching};
pub use known::Known;
pub use order::Meet;
pub use path::{Path, Taken};
pub use step::Step;
pub use stored::{Stored, Written};
pub use timeline::Recorder;
pub use uninitialized::Poisoned;
pub use watch::{Component, Target, Watch, Write};
pub use witness::Witness;

use super::code::Place;
use super::ir::{AtomicOp, Joined, Orders};
use super::subgroup::Subgroup;
use crate::trace::AccessKind;

/// The addresses of the active lanes of one access, in bytes.
#[derive(Clone, Copy)]
pub enum Addresses<'a> {
    /// All the same.
    One(u32),
    /// `base + lane·step`.
    Linear { base: u32, step: u32 },
    /// By lane; those of inactive lanes mean nothing.
    Lanes(&'a [u32]),
}

impl Addresses<'_> {
    /// The address of `lane`.
    pub fn at(&self, lane: u32) -> u32 {
        match *self {
            Self::One(address) => address,
            Self::Linear { base, step } => base.wrapping_add(lane.wrapping_mul(step)),
            Self::Lanes(lanes) => lanes[lane as usize],
        }
    }
}

/// A value of each lane.
#[derive(Clone, Copy)]
pub enum Operand<'a> {
    /// The same for all.
    One(u32),
    /// By lane; those of inactive lanes mean nothing.
    Lanes(&'a [u32]),
}

impl Operand<'_> {
    /// The value of `lane`.
    pub fn at(&self, lane: u32) -> u32 {
        match *self {
            Self::One(value) => value,
            Self::Lanes(values) => values[lane as usize],
        }
    }
}

/// One access of one warp to a buffer or to workgroup memory.
pub struct Access<'a> {
    /// Its place's number.
    pub site: u32,
    /// Its place.
    pub place: &'a Place,
    /// Its kind.
    pub kind: AccessKind,
    /// How an atomic combines its operand with the word; None for loads and stores.
    pub op: Option<AtomicOp>,
    /// The components that a store writes, or the operands of an atomic; none of a load, and of an asynchronous store.
    pub operands: &'a [Operand<'a>],
    /// By lane, the word before an atomic; None of other accesses.
    pub was: Option<&'a [u32]>,
    /// Lanes whose compare-exchange left the word.
    pub failed: u64,
    /// Active lanes, at least one, whose addresses are within bounds.
    pub mask: u64,
    /// Their addresses.
    pub addresses: Addresses<'a>,
    /// The lane that does it all, of an operation that one lane asks for.
    pub actor: Option<u32>,
}

impl Access<'_> {
    /// The `bytes` of the value that a lane stores at byte `at` of memory, or of an atomic's first operand; 0 if it is not known.
    pub fn value(&self, lane: u32, at: u32, bytes: u32) -> u32 {
        let width = u32::from(self.place.width.bytes());
        let from = at.wrapping_sub(self.addresses.at(lane));
        let component = if self.kind == AccessKind::Atomic { 0 } else { (from >> width.trailing_zeros()) as usize };
        let value = self.operands.get(component).map_or(0, |operand| operand.at(lane));
        let mask = u32::MAX >> (32 - 8 * bytes.min(4));
        value >> ((from & (width - 1)) * 8) & mask
    }

    /// Whether one lane's atomic does the work of all.
    pub fn is_joined(&self) -> bool {
        matches!(self.addresses, Addresses::One(_)) && self.place.joined == Joined::Uniform
    }
}

/// One subgroup operation of one warp.
pub struct Exchanged<'a> {
    /// Source line, from 1.
    pub line: u32,
    /// Active lanes, at least one.
    pub mask: u64,
    /// The operation.
    pub op: Subgroup,
    /// The index that each lane gives, where the operation takes one.
    pub indices: &'a [u32],
}

/// The lanes of `mask`, which is mostly `full`: counting bits takes longer than the comparison.
#[inline]
fn count_lanes(mask: u64, full: u64) -> u32 {
    if mask == full { full.count_ones() } else { mask.count_ones() }
}

/// A part of an asynchronous operation on shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It begins to write; `counted` as a store if the machine's counters have it among the stores of warps.
    Begins { counted: bool },
    /// The data is there; `anew` if it counts as written by the lane now, and not since it began.
    Lands { anew: bool },
    /// It begins to read.
    Reads,
    /// It has read.
    HasRead,
}

/// Sees what warps do. What it does not care for it leaves out.
pub trait Observer {
    /// Whether it looks at anything.
    const ACTIVE: bool;
    /// Whether it looks at every operation.
    const STEPS: bool = false;

    /// Switches to `warp`, which does what follows.
    fn warp(&mut self, _: u32) {}
    /// A basic block starts, with these lanes.
    fn block(&mut self, _: u32, _: u64) {}
    /// Memory is accessed.
    fn access(&mut self, _: &Access<'_>) {}
    /// An asynchronous operation accesses shared memory.
    fn later(&mut self, _: &Access<'_>, _: Phase) {}
    /// A branch: of the lanes in `mask`, those in `taken` go one way.
    fn branch(&mut self, _: u32, _: u64, _: u64) {}
    /// Lanes exchange values.
    fn exchange(&mut self, _: &Exchanged<'_>) {}
    /// A barrier is reached.
    fn barrier(&mut self, _: u32, _: u64) {}
    /// The warps of the workgroup go on from a barrier that orders this memory.
    fn release(&mut self, _: Orders) {}
    /// Lanes of the warp meet others, or each other.
    fn meet(&mut self, _: u64, _: Meet) {}
    /// The workgroup has ended.
    fn done(&mut self) {}
    /// An operation is about to be executed. (A warp that ran out of fuel shows its next one again.)
    fn step(&mut self, _: &Step<'_>) {}
}

/// Watches nothing: plain execution.
pub struct Nobody;

impl Observer for Nobody {
    const ACTIVE: bool = false;
}

/// Two observers at once.
pub struct Both<'a, A, B>(pub &'a mut A, pub &'a mut B);

impl<A: Observer, B: Observer> Observer for Both<'_, A, B> {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;

    fn warp(&mut self, warp: u32) {
        self.0.warp(warp);
        self.1.warp(warp);
    }

    fn block(&mut self, block: u32, mask: u64) {
        self.0.block(block, mask);
        self.1.block(block, mask);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.0.access(access);
        self.1.access(access);
    }

    fn later(&mut self, access: &Access<'_>, phase: Phase) {
        self.0.later(access, phase);
        self.1.later(access, phase);
    }

    fn branch(&mut self, line: u32, mask: u64, taken: u64) {
        self.0.branch(line, mask, taken);
        self.1.branch(line, mask, taken);
    }

    fn exchange(&mut self, exchanged: &Exchanged<'_>) {
        self.0.exchange(exchanged);
        self.1.exchange(exchanged);
    }

    fn barrier(&mut self, line: u32, mask: u64) {
        self.0.barrier(line, mask);
        self.1.barrier(line, mask);
    }

    fn release(&mut self, orders: Orders) {
        self.0.release(orders);
        self.1.release(orders);
    }

    fn meet(&mut self, lanes: u64, how: Meet) {
        self.0.meet(lanes, how);
        self.1.meet(lanes, how);
    }

    fn done(&mut self) {
        self.0.done();
        self.1.done();
    }
}

/// An observer that may be absent: for runs that are slow in any case, so that each needs no interpreter of its own.
impl<O: Observer> Observer for Option<&mut O> {
    const ACTIVE: bool = O::ACTIVE;

    fn warp(&mut self, warp: u32) {
        if let Some(observer) = self {
            observer.warp(warp);
        }
    }

    fn block(&mut self, block: u32, mask: u64) {
        if let Some(observer) = self {
            observer.block(block, mask);
        }
    }

    fn access(&mut self, access: &Access<'_>) {
        if let Some(observer) = self {
            observer.access(access);
        }
    }

    fn later(&mut self, access: &Access<'_>, phase: Phase) {
        if let Some(observer) = self {
            observer.later(access, phase);
        }
    }

    fn branch(&mut self, line: u32, mask: u64, taken: u64) {
        if let Some(observer) = self {
            observer.branch(line, mask, taken);
        }
    }

    fn exchange(&mut self, exchanged: &Exchanged<'_>) {
        if let Some(observer) = self {
            observer.exchange(exchanged);
        }
    }

    fn barrier(&mut self, line: u32, mask: u64) {
        if let Some(observer) = self {
            observer.barrier(line, mask);
        }
    }

    fn release(&mut self, orders: Orders) {
        if let Some(observer) = self {
            observer.release(orders);
        }
    }

    fn meet(&mut self, lanes: u64, how: Meet) {
        if let Some(observer) = self {
            observer.meet(lanes, how);
        }
    }

    fn done(&mut self) {
        if let Some(observer) = self {
            observer.done();
        }
    }
}
