//! Optional checks of a workgroup: for data races, and for reads of memory that was never written.

use super::between::Between;
use super::landing::Landing;
use super::race::Races;
use super::stored::Stored;
use super::uninitialized::{Poisoned, Unwritten};
use super::{Access, Findings, Meet, Observer, Phase};
use crate::simt::code::Place;
use crate::simt::ir::{Mem, Orders, Variable};
use crate::simt::memory::Buffer;
use crate::trace::{AccessKind, Space};

/// The facts of a run that the checks use.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Bindings, then workgroup variables.
    pub variables: &'a [Variable],
    /// The buffers, by binding.
    pub buffers: &'a [Buffer<'a>],
    /// Their words that were not written when the launch began.
    pub poisoned: &'a [Poisoned],
    /// Who touched what, over all workgroups; None if not looked for.
    pub between: Option<&'a Between>,
    /// Where the run stores to; None if not noted.
    pub stored: Option<&'a Stored>,
    /// Whether workgroups run one after another.
    pub in_order: bool,
    /// Workgroup memory, in bytes.
    pub shared_bytes: u32,
    /// Warps of a workgroup.
    pub warps: usize,
    /// Bytes of the narrowest access.
    pub grain: u32,
    /// Lanes of a warp.
    pub width: u32,
    /// Whether the kernel has cooperative matrices.
    pub cooperative: bool,
    /// Whether the kernel has a barrier that orders no memory: a subgroup's.
    pub subgroup_barrier: bool,
    /// Whether the kernel is in CUDA.
    pub cuda: bool,
    /// Whether its workgroups order what they do themselves.
    pub fenced: bool,
}

/// Checks one workgroup at a time.
pub struct Checks<'a> {
    width: u32,
    /// The local index of the first lane of the warp that runs now.
    first: u32,
    races: Races<'a>,
    unwritten: Unwritten<'a>,
    landing: Landing<'a>,
    stored: Option<&'a Stored>,
    findings: Findings,
}

impl<'a> Checks<'a> {
    /// Checks for any workgroup of the run.
    pub fn new(known: Known<'a>) -> Self {
        Self {
            width: known.width,
            first: 0,
            races: Races::new(known),
            unwritten: Unwritten::new(known),
            landing: Landing::new(known),
            stored: known.stored,
            findings: Findings::default(),
        }
    }

    /// Begins workgroup number `linear`, which does what follows.
    pub fn start(&mut self, linear: u64) {
        self.findings.workgroup = linear;
        self.races.start();
        self.unwritten.start();
        self.landing.start();
    }

    /// Hands over what was found since the last time.
    pub fn hand_over(&mut self, findings: &mut Findings) {
        findings.add(self.findings.take());
    }
}

impl Observer for Checks<'_> {
    const ACTIVE: bool = true;

    fn warp(&mut self, warp: u32) {
        self.first = warp * self.width;
    }

    fn access(&mut self, access: &Access<'_>) {
        self.races.access(access, self.first, &mut self.findings);
        // A read that comes too early is found once.
        let early = self.landing.access(access, self.first, &mut self.findings);
        if !early || access.kind == AccessKind::Store {
            self.unwritten.access(access, self.first, &mut self.findings);
        }
        if let Some(stored) = self.stored {
            stored.access(access);
        }
    }

    fn later(&mut self, access: &Access<'_>, phase: Phase) {
        match phase {
            // A read before the copy lands was reported when it happened.
            Phase::Lands { anew: true } => self.races.access(access, self.first, &mut Findings::default()),
            Phase::Lands { anew: false } => {}
            _ => self.races.access(access, self.first, &mut self.findings),
        }
        match phase {
            Phase::Begins { .. } => {
                self.landing.access(access, self.first, &mut self.findings);
                self.landing.begin(access);
            }
            Phase::HasRead => self.landing.has_read(access),
            Phase::Reads => {
                self.landing.reads(access);
                if !self.landing.access(access, self.first, &mut self.findings) {
                    self.unwritten.access(access, self.first, &mut self.findings);
                }
            }
            Phase::Lands { .. } => {
                self.landing.land(access);
                self.unwritten.access(access, self.first, &mut self.findings);
            }
        }
    }

    fn meet(&mut self, how: Meet) {
        self.races.meet(self.first, how);
    }

    fn release(&mut self, orders: Orders) {
        self.races.release(orders);
    }
}

/// The name of `byte` of a place's memory, for messages: within its variable.
pub(super) fn name(place: &Place, byte: u32, variables: &[Variable]) -> String {
    let is_there = |v: &&Variable| v.space == Space::Shared && (v.base..v.base + v.bytes).contains(&byte);
    // An asynchronous operation may go to any variable of shared memory.
    let there = if place.mem == Mem::Shared { variables.iter().find(is_there) } else { None };
    let Some(variable) = there.or(variables.get(usize::from(place.variable))) else { return format!("byte {byte}") };
    let byte = if place.mem == Mem::Shared { byte.wrapping_sub(variable.base) } else { byte };
    format!("word {} (byte {byte}) of `{}`", byte / 4, variable.name)
}
