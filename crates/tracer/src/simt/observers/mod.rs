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
mod fix;
mod global;
mod handed;
mod heat;
mod known;
mod landing;
mod names;
mod order;
mod pair;
mod parts;
mod path;
mod pattern;
mod profile;
mod published;
mod race;
mod requests;
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
pub use counts::Counter;
pub use course::{Following, Trail, Watched};
pub use critical::Suspended;
pub use discarded::{Discarded, MAX_LINES};
pub use findings::{Findings, Outside};
pub use global::Global;
pub use heat::{Fetched, Fetching};
pub use known::Known;
pub use order::Meet;
pub use path::{Path, Taken};
pub use requests::{Request, Requested, Requesting, Requests};
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

/// Counts by source line.
type Lines = std::collections::BTreeMap<u32, crate::trace::LineCounts>;

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
    /// Whether it is an exchange whose old value nobody reads: it depends on no word.
    pub replaces: bool,
    /// Active lanes, at least one, whose addresses are within bounds.
    pub mask: u64,
    /// Their addresses.
    pub addresses: Addresses<'a>,
    /// The lane that does it all, of an operation that one lane asks for.
    pub actor: Option<u32>,
}

impl<'a> Access<'a> {
    /// A load or a store of the lanes in `mask`, without its values.
    pub fn of(site: u32, place: &'a Place, kind: AccessKind, mask: u64, addresses: Addresses<'a>) -> Self {
        Self {
            site,
            place,
            kind,
            op: None,
            operands: &[],
            was: None,
            failed: 0,
            replaces: false,
            mask,
            addresses,
            actor: None,
        }
    }

    /// The `bytes` of the value that a lane stores at byte `at` of memory, or of an atomic's first operand; 0 if it is
    /// not known.
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

/// Every event of an observer, given to the macro `$then`.
macro_rules! events {
    ($then:ident) => {
        $then! {
            /// Switches to a warp, which causes the events that follow.
            fn warp(warp: u32);
            /// A basic block starts, with these lanes.
            fn block(block: u32, mask: u64);
            /// Memory is accessed.
            fn access(access: &Access<'_>);
            /// An asynchronous operation accesses shared memory.
            fn later(access: &Access<'_>, phase: Phase);
            /// A branch at a line: of the lanes in `mask`, those in `taken` go one way.
            fn branch(line: u32, mask: u64, taken: u64);
            /// Lanes exchange values.
            fn exchange(exchanged: &Exchanged<'_>);
            /// A barrier at a line is reached.
            fn barrier(line: u32, mask: u64);
            /// The warps of the workgroup go on from a barrier that orders this memory.
            fn release(orders: Orders);
            /// Lanes of the warp meet others, or each other.
            fn meet(lanes: u64, how: Meet);
            /// The workgroup has ended.
            fn done();
            /// An operation is about to be executed. (A warp that ran out of fuel shows its next one again.)
            fn step(step: &Step<'_>);
        }
    };
}

/// The trait, and the observers that forward each event to others.
macro_rules! observers {
    ($($(#[$doc:meta])* fn $event:ident($($name:ident: $of:ty),*);)*) => {
        /// Receives a launch's events; each method does nothing by default.
        pub trait Observer {
            /// Whether it looks at anything.
            const ACTIVE: bool;
            /// Whether it looks at every operation.
            const STEPS: bool = false;

            $($(#[$doc])* fn $event(&mut self $(, _: $of)*) {})*
        }

        impl<A: Observer, B: Observer> Observer for Both<'_, A, B> {
            const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
            const STEPS: bool = A::STEPS || B::STEPS;

            $(fn $event(&mut self $(, $name: $of)*) {
                self.0.$event($($name),*);
                self.1.$event($($name),*);
            })*
        }

        impl<O: Observer> Observer for Option<&mut O> {
            const ACTIVE: bool = O::ACTIVE;
            const STEPS: bool = O::STEPS;

            $(fn $event(&mut self $(, $name: $of)*) {
                if let Some(observer) = self {
                    observer.$event($($name),*);
                }
            })*
        }
    };
}

events!(observers);

/// Watches nothing: plain execution.
pub struct Nobody;

impl Observer for Nobody {
    const ACTIVE: bool = false;
}

/// Two observers at once. With `Option`, an observer that may be absent, runs that are slow in any case share one
/// interpreter.
pub struct Both<'a, A, B>(pub &'a mut A, pub &'a mut B);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simt::ir::{Mem, Sync, Width};
    use crate::trace::timeline::Space;

    /// The names of the events that it received.
    #[derive(Default)]
    struct Names(Vec<&'static str>);

    macro_rules! named {
        ($($(#[$doc:meta])* fn $event:ident($($name:ident: $of:ty),*);)*) => {
            const EVENTS: &[&str] = &[$(stringify!($event)),*];

            impl Observer for Names {
                const ACTIVE: bool = true;
                const STEPS: bool = true;

                $(fn $event(&mut self $(, _: $of)*) {
                    self.0.push(stringify!($event));
                })*
            }
        };
    }

    events!(named);

    /// Sends each event once, in the order of their declaration.
    fn send(to: &mut impl Observer) {
        let place = Place {
            mem: Mem::Shared,
            space: Space::Shared,
            variable: 0,
            offset: 0,
            components: 1,
            width: Width::Word,
            unit: 4,
            atomic: false,
            updates: false,
            checked: false,
            returns: false,
            sync: Sync::default(),
            joined: Joined::Never,
            vector: 0,
            whole: None,
            pages: None,
            terms: Vec::new(),
            line: 1,
        };
        let access = Access::of(0, &place, AccessKind::Load, 1, Addresses::One(0));
        to.warp(0);
        to.block(0, 1);
        to.access(&access);
        to.later(&access, Phase::Reads);
        to.branch(1, 1, 1);
        to.exchange(&Exchanged { line: 1, mask: 1, op: Subgroup::Ballot, indices: &[] });
        to.barrier(1, 1);
        to.release(Orders { shared: true, storage: false, absent: Default::default() });
        to.meet(1, Meet::Lanes);
        to.done();
        to.step(&Step { pc: 0, mask: 1, scalars: &[], vectors: &[], width: 1 });
    }

    #[test]
    fn each_event_reaches_both_observers_and_one_that_may_be_absent() {
        let (mut first, mut second) = (Names::default(), Names::default());
        send(&mut Both(&mut first, &mut Some(&mut second)));
        assert_eq!(first.0, EVENTS);
        assert_eq!(second.0, EVENTS);
        send(&mut Both(&mut Nobody, &mut None::<&mut Names>));
    }

    #[test]
    fn steps_are_shown_if_one_observer_wants_them() {
        const fn steps<O: Observer>(_: &O) -> bool {
            O::STEPS
        }
        assert!(steps(&Both(&mut Nobody, &mut Some(&mut Names::default()))));
        assert!(steps(&Both(&mut Names::default(), &mut Nobody)));
        assert!(!steps(&Both(&mut Nobody, &mut Nobody)));
    }
}
