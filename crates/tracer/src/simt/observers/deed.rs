//! The kinds of accesses, and which two of them conflict where nothing orders them.
//!
//! Two accesses to one word conflict if one of them writes and one is weak: not atomic (PTX ISA 9.0, section 8.7.1,
//! "Conflict and Data-races"). Strong accesses do not race. But where two of them do not commute, the word depends on
//! which comes first, and so does what a load gets.

use super::Access;
use crate::simt::code::Place;
use crate::simt::ir::AtomicOp;
use crate::trace::AccessKind;

/// A kind of access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Deed {
    /// None yet.
    #[default]
    Nothing,
    Read,
    /// A plain load whose value a compare-exchange at the same address checks, as a loop around one begins.
    CheckedRead,
    Write,
    /// A write of an asynchronous copy, when it was waited for.
    Landing,
    VolatileRead,
    VolatileWrite,
    /// `atomicLoad`, and other strong loads.
    Fetch,
    /// A strong load that a loop repeats until it gets what it waits for, or whose value a compare-exchange checks.
    Poll,
    /// `atomicStore`, and other strong stores.
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
    CompareExchange,
    /// A strong load whose scope is one workgroup, as it is for the others: weak (PTX ISA 9.0, section 8.6, "Morally
    /// strong operations").
    NarrowRead,
    /// The same of a write, or of an atomic.
    NarrowWrite,
}

/// What may go wrong where nothing orders two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    /// A data race.
    Race,
    /// Both are strong, and leave another word in another order.
    Word,
    /// A strong load gets another value in another order.
    Value,
    /// The thread changed the word by an atomic after the other one did, and used what that returned: it may know that
    /// it is the last.
    Told,
}

impl Deed {
    /// The kind of an access.
    pub fn of(access: &Access<'_>) -> Self {
        Self::at(access.place, access.kind, access.op)
    }

    /// The kind of an access at a place.
    pub fn at(place: &Place, kind: AccessKind, op: Option<AtomicOp>) -> Self {
        let volatile = place.sync.volatile;
        match (kind, op) {
            (AccessKind::Atomic, Some(op)) => Self::of_op(op),
            (AccessKind::Load, _) if place.sync.polls || place.atomic && place.checked => Self::Poll,
            (AccessKind::Load, _) if volatile => Self::VolatileRead,
            (AccessKind::Load, _) if place.atomic => Self::Fetch,
            (AccessKind::Load, _) if place.checked => Self::CheckedRead,
            (AccessKind::Load, _) => Self::Read,
            _ if place.sync.polls => Self::Store,
            _ if volatile => Self::VolatileWrite,
            _ if place.atomic => Self::Store,
            _ => Self::Write,
        }
    }

    fn of_op(op: AtomicOp) -> Self {
        match op {
            // Inc and Dec count up to a bound and begin anew: in any order as often.
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::FAdd | AtomicOp::FSub | AtomicOp::Inc | AtomicOp::Dec => {
                Self::Add
            }
            AtomicOp::HalfAdd | AtomicOp::BfloatAdd => Self::Add,
            AtomicOp::And => Self::And,
            AtomicOp::Or => Self::Or,
            AtomicOp::Xor => Self::Xor,
            AtomicOp::IMin | AtomicOp::UMin => Self::Min,
            AtomicOp::IMax | AtomicOp::UMax => Self::Max,
            AtomicOp::Exchange => Self::Exchange,
            AtomicOp::CompareExchange => Self::CompareExchange,
        }
    }

    /// Whether it may change the word.
    pub fn writes(self) -> bool {
        let reads = matches!(self, Self::Read | Self::CheckedRead | Self::VolatileRead | Self::Fetch | Self::Poll);
        !reads && !matches!(self, Self::Nothing | Self::NarrowRead)
    }

    /// Whether it is not atomic.
    pub fn is_weak(self) -> bool {
        let is_plain = matches!(self, Self::Read | Self::CheckedRead | Self::Write | Self::Landing);
        is_plain || matches!(self, Self::NarrowRead | Self::NarrowWrite)
    }

    fn is_volatile(self) -> bool {
        matches!(self, Self::VolatileRead | Self::VolatileWrite)
    }

    /// Whether it belongs among the plain accesses to a word: weak or volatile.
    pub fn is_plain(self) -> bool {
        self.is_weak() || self.is_volatile()
    }

    /// The kind that an access at a place is for other workgroups.
    pub fn afar(self, place: &Place) -> Self {
        match place.is_narrow() {
            true if self.writes() => Self::NarrowWrite,
            true => Self::NarrowRead,
            false => self,
        }
    }

    /// What may go wrong if two threads do this and `other` to one word and nothing orders them.
    pub fn conflict(self, other: Self) -> Option<Conflict> {
        if [self, other].contains(&Self::Nothing) || !self.writes() && !other.writes() {
            return None;
        }
        if [self, other].contains(&Self::CheckedRead) && !(self.is_plain() && other.is_plain()) {
            return None;
        }
        if self.is_weak() || other.is_weak() || self.is_volatile() && other.is_volatile() {
            return Some(Conflict::Race);
        }
        // A load beside a compare-exchange is one that fails: what it gets is as what that returns, which hands the word over.
        if [self, other].contains(&Self::Poll) || [self, other].contains(&Self::CompareExchange) {
            return None;
        }
        if !self.writes() || !other.writes() {
            return Some(Conflict::Value);
        }
        (!self.commutes(other)).then_some(Conflict::Word)
    }

    /// Whether two strong writes leave the same word in either order. (Stores do if they store one value, which is
    /// asked elsewhere.) A compare-exchange, and an exchange beside a store, hand a word over, as locks do.
    fn commutes(self, other: Self) -> bool {
        let both = [self, other].map(|deed| if deed == Self::VolatileWrite { Self::Store } else { deed });
        let lock = both.contains(&Self::Store) && both.contains(&Self::Exchange);
        both[0] == both[1] && both[0] != Self::Store || lock
    }

    /// Whether it is a store of a value that does not depend on what was there.
    pub fn is_store(self) -> bool {
        matches!(self, Self::Write | Self::VolatileWrite | Self::Store)
    }

    /// The verb for it, as it happens and as it happened.
    pub fn verbs(self) -> [String; 2] {
        match self {
            Self::Nothing | Self::Read | Self::CheckedRead | Self::VolatileRead => {
                ["reads it", "read it"].map(str::to_owned)
            }
            Self::Write | Self::VolatileWrite => ["writes it", "wrote it"].map(str::to_owned),
            Self::NarrowRead => ["reads it within its scope", "read it within its scope"].map(str::to_owned),
            Self::NarrowWrite => ["changes it within its scope", "changed it within its scope"].map(str::to_owned),
            Self::Landing => ["waits for its copy to it", "waited for its copy to it, begun"].map(str::to_owned),
            strong => ["does", "did"].map(|does| format!("{does} {}", strong.name())),
        }
    }

    /// Its name in WGSL, where it is strong.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store | Self::VolatileWrite => "an atomicStore",
            Self::Add => "an atomicAdd or atomicSub",
            Self::And => "an atomicAnd",
            Self::Or => "an atomicOr",
            Self::Xor => "an atomicXor",
            Self::Min => "an atomicMin",
            Self::Max => "an atomicMax",
            Self::Exchange => "an atomicExchange",
            Self::CompareExchange => "an atomicCompareExchangeWeak",
            _ => "an atomicLoad",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_conflicts_and_what_does_not() {
        for (a, b, expected) in [
            (Deed::Read, Deed::Read, None),
            (Deed::Read, Deed::Write, Some(Conflict::Race)),
            (Deed::Write, Deed::Add, Some(Conflict::Race)),
            (Deed::Read, Deed::Add, Some(Conflict::Race)),
            (Deed::Fetch, Deed::Write, Some(Conflict::Race)),
            (Deed::CheckedRead, Deed::Add, None),
            (Deed::CheckedRead, Deed::Write, Some(Conflict::Race)),
            (Deed::Read, Deed::Fetch, None),
            (Deed::Add, Deed::Add, None),
            (Deed::Add, Deed::Max, Some(Conflict::Word)),
            (Deed::Store, Deed::Store, Some(Conflict::Word)),
            (Deed::Store, Deed::Add, Some(Conflict::Word)),
            (Deed::Store, Deed::Exchange, None),
            (Deed::Store, Deed::CompareExchange, None),
            (Deed::Fetch, Deed::CompareExchange, None),
            (Deed::Fetch, Deed::Add, Some(Conflict::Value)),
            (Deed::VolatileRead, Deed::VolatileWrite, Some(Conflict::Race)),
            (Deed::VolatileWrite, Deed::VolatileWrite, Some(Conflict::Race)),
            (Deed::VolatileWrite, Deed::Fetch, Some(Conflict::Value)),
            (Deed::Poll, Deed::VolatileWrite, None),
            (Deed::Poll, Deed::Write, Some(Conflict::Race)),
            (Deed::Nothing, Deed::Write, None),
        ] {
            assert_eq!(a.conflict(b), expected, "{a:?} {b:?}");
            assert_eq!(b.conflict(a), expected, "{b:?} {a:?}");
        }
    }
}
