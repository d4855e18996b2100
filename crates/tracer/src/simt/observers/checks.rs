//! Optional checks of a workgroup: for data races, and for reads of memory that was never written.

use super::known::Known;
use super::landing::Landing;
use super::race::Races;
use super::stored::Stored;
use super::uninitialized::Unwritten;
use super::{Access, Findings, Meet, Observer, Phase};
use crate::simt::ir::Orders;
use crate::trace::AccessKind;

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
        self.races.start(linear);
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
        // What meets an asynchronous operation that was not waited for is found once.
        let early = self.landing.access(access, self.first, &mut self.findings);
        let mut ignored = Findings::default();
        self.races.access(access, self.first, None, if early { &mut ignored } else { &mut self.findings });
        if !early || access.kind == AccessKind::Store {
            self.unwritten.access(access, self.first, &mut self.findings);
        }
        if let Some(stored) = self.stored {
            stored.access(access);
        }
    }

    fn later(&mut self, access: &Access<'_>, phase: Phase) {
        let mut ignored = Findings::default();
        let (first, some) = (self.first, Some(phase));
        match phase {
            // A read before the copy lands was reported when it happened.
            Phase::Lands { anew: true } => self.races.access(access, first, some, &mut ignored),
            Phase::Lands { anew: false } => {}
            _ => self.races.access(access, first, some, &mut self.findings),
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

    fn meet(&mut self, lanes: u64, how: Meet) {
        self.races.meet(self.first, lanes, how);
    }

    fn release(&mut self, orders: Orders) {
        self.races.release(orders);
    }
}
