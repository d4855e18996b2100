//! Finds atomic operations of two lanes on one word that do not commute, with no barrier between: the word's final value
//! then depends on which came first, although no operation is torn.
//!
//! Additions commute with additions, maxima with maxima, and stores of one value with each other. Loads and operations that
//! hand a word over (a compare-exchange, and an exchange beside a store, as in a lock) order lanes themselves and are left out.

use std::collections::HashMap;

use super::names::name;
use super::{Access, Findings, Mend};
use crate::simt::ir::{AtomicOp, Mem, Variable};
use crate::simt::lanes::lanes_of;
use crate::trace::AccessKind;

/// Operations that commute with each other, where that does not depend on their operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// `atomicStore`.
    Store,
    /// `atomicAdd` and `atomicSub`.
    Add,
    And,
    Or,
    Xor,
    /// `atomicMin`, signed or not.
    Min,
    /// `atomicMax`, signed or not.
    Max,
    Exchange,
}

impl Class {
    /// The number of classes.
    pub const COUNT: usize = 8;

    /// The class of an access to an atomic word; None if it orders lanes or only reads.
    pub fn of(access: &Access<'_>) -> Option<Self> {
        match (access.kind, access.op) {
            (AccessKind::Store, _) => Some(Self::Store),
            (AccessKind::Atomic, Some(op)) => Self::of_op(op),
            _ => None,
        }
    }

    /// The class of a read-modify-write; None if it orders lanes.
    pub fn of_op(op: AtomicOp) -> Option<Self> {
        match op {
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::FAdd | AtomicOp::FSub => Some(Self::Add),
            AtomicOp::And => Some(Self::And),
            AtomicOp::Or => Some(Self::Or),
            AtomicOp::Xor => Some(Self::Xor),
            AtomicOp::IMin | AtomicOp::UMin => Some(Self::Min),
            AtomicOp::IMax | AtomicOp::UMax => Some(Self::Max),
            AtomicOp::Exchange => Some(Self::Exchange),
            AtomicOp::HalfAdd | AtomicOp::BfloatAdd => Some(Self::Add),
            // These count up to a bound and begin anew: in any order as often.
            AtomicOp::Inc | AtomicOp::Dec => Some(Self::Add),
            AtomicOp::CompareExchange => None,
        }
    }

    /// Whether an operation of each on one word leaves the same, whichever comes first. Stores do if they store one value.
    pub fn commutes(self, other: Self) -> bool {
        let lock = [self, other].contains(&Self::Store) && [self, other].contains(&Self::Exchange);
        self == other || lock
    }

    /// The operation in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "an atomicStore",
            Self::Add => "an atomicAdd or atomicSub",
            Self::And => "an atomicAnd",
            Self::Or => "an atomicOr",
            Self::Xor => "an atomicXor",
            Self::Min => "an atomicMin",
            Self::Max => "an atomicMax",
            Self::Exchange => "an atomicExchange",
        }
    }
}

/// One operation on a word.
#[derive(Clone, Copy)]
struct Mark {
    class: Class,
    value: u32,
    /// The lane's local index.
    lane: u32,
    line: u32,
}

impl Mark {
    fn commutes(&self, other: &Self) -> bool {
        self.class.commutes(other.class)
            && (self.class != Class::Store || other.class != Class::Store || self.value == other.value)
    }
}

/// The operations on a word since the last barrier: of each class those of two lanes at most, which suffices to find one of another lane.
#[derive(Default)]
struct Word {
    epoch: u32,
    marks: Vec<Mark>,
}

impl Word {
    /// Adds an operation, and gives an earlier one of another lane that does not commute with it.
    fn touch(&mut self, by: Mark, epoch: u32) -> Option<Mark> {
        if self.epoch != epoch {
            self.epoch = epoch;
            self.marks.clear();
        }
        let other = self.marks.iter().find(|mark| mark.lane != by.lane && !mark.commutes(&by)).copied();
        let alike = || self.marks.iter().filter(|mark| mark.class == by.class && mark.commutes(&by));
        if other.is_none() && alike().count() < 2 && alike().all(|mark| mark.lane != by.lane) {
            self.marks.push(by);
        }
        other
    }
}

/// Looks at the atomic words of one workgroup at a time.
#[derive(Default)]
pub(super) struct Atomics {
    /// By buffer (None for workgroup memory) and word.
    words: HashMap<(Option<u16>, u32), Word>,
}

impl Atomics {
    /// A workgroup begins.
    pub fn start(&mut self) {
        self.words.clear();
    }

    /// A warp whose first lane has local index `first` accesses atomic words, in an epoch that the next barrier ends.
    pub fn access(
        &mut self,
        access: &Access<'_>,
        (first, epoch): (u32, u32),
        (variables, cuda): (&[Variable], bool),
        findings: &mut Findings,
    ) {
        let place = access.place;
        let (Some(class), Some(operand)) = (Class::of(access), access.operand) else { return };
        let buffer = if let Mem::Buffer(buffer) = place.mem { Some(buffer) } else { None };
        for lane in lanes_of(access.mask) {
            let address = access.addresses.at(lane);
            let by = Mark { class, value: operand.at(lane), lane: first + lane, line: place.line };
            let word = self.words.entry((buffer, address / 4)).or_default();
            let Some(other) = word.touch(by, epoch) else { continue };
            let workgroup = findings.workgroup;
            for (line, (here, there)) in [(by.line, (by, other)), (other.line, (other, by))] {
                findings.report_race(line, buffer, || {
                    let mend = match buffer {
                        _ if cuda => Mend::SyncThreads,
                        Some(_) => Mend::StorageBarrier,
                        None => Mend::WorkgroupBarrier,
                    };
                    let message = format!(
                        "local indices {} and {} of workgroup {workgroup} race for {}: {} by {} here and {} by {} at line {} \
                         do not commute, so that the word depends on which comes first",
                        other.lane,
                        by.lane,
                        name(place, address, variables),
                        here.class.name(),
                        here.lane,
                        there.class.name(),
                        there.lane,
                        there.line,
                    );
                    (message, mend)
                });
            }
        }
    }
}
