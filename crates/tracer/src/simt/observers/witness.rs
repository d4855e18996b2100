//! A second run of a launch that nothing orders, workgroup after workgroup: which lanes race at which lines.

use std::collections::HashSet;

use super::between::{Raced, Standing};
use super::deed::{Conflict, Deed};
use super::handed::Handed;
use super::known::Known;
use super::pair::Pair;
use super::parts::touched;
use super::word::{Far, Mark, is_same_store};
use super::{Access, Findings, Observer};
use crate::simt::ir::Mem;
use crate::simt::lanes::lanes_of;

/// A part, and who touched it first.
struct Contended {
    part: Raced,
    /// The threads that use the values of their atomics on it, by which one may know that it is the last.
    told: HashSet<(u64, u16)>,
    /// The first workgroup's access of each kind.
    seen: Vec<Far>,
    named: bool,
}

/// Sees, of workgroups that run one after another, who races for some parts of buffers.
pub struct Witness<'a> {
    known: Known<'a>,
    parts: Vec<Contended>,
    handed: Handed,
    /// Accesses so far.
    count: u32,
    /// The local index of the first lane of the warp that runs now.
    first: u32,
    /// Whether the order of the workgroups changes the results.
    order_matters: bool,
    findings: Findings,
}

impl<'a> Witness<'a> {
    /// Of these parts.
    pub fn new(known: Known<'a>, raced: &[Raced], order_matters: bool) -> Self {
        let contended = |part: &Raced| Contended { part: *part, told: HashSet::new(), seen: Vec::new(), named: false };
        let parts = raced.iter().map(contended);
        let findings = Findings::default();
        Self { known, parts: parts.collect(), handed: Handed::default(), count: 0, first: 0, order_matters, findings }
    }

    /// Begins workgroup number `linear`, which does what follows.
    pub fn start(&mut self, linear: u64) {
        self.findings.workgroup = linear;
    }

    /// Whether all is known.
    pub fn is_done(&self) -> bool {
        self.parts.iter().all(|part| part.named)
    }

    /// The findings, one for each part.
    pub fn findings(self) -> Findings {
        self.findings
    }
}

impl Observer for Witness<'_> {
    const ACTIVE: bool = true;

    fn warp(&mut self, warp: u32) {
        self.first = warp * self.known.width;
    }

    fn access(&mut self, access: &Access<'_>) {
        let Mem::Buffer(buffer) = access.place.mem else { return };
        let (block, known, narrow) = (self.findings.workgroup, self.known, access.place.is_narrow());
        let deed = Deed::of(access).afar(access.place);
        self.count = self.count.saturating_add(1);
        let (first, time) = (self.first, self.count);
        let mark = |lane: u32, value: u32| Mark {
            lane: u16::try_from(first + lane).unwrap_or(u16::MAX),
            deed,
            round: 1,
            site: access.site,
            time,
            value,
        };
        for part in self.parts.iter_mut().filter(|part| part.part.buffer == buffer && !part.named) {
            let (Raced { index, standing, .. }, mut lane) = (part.part, None);
            touched(access, known.grain, |by, at| lane = lane.or((at == index).then_some(by)));
            let Some(lane) = lane else { continue };
            let by = Far { block, narrow, mark: mark(lane, access.value(lane, index * known.grain, known.grain)) };
            // Stores of one value leave it, whichever comes first.
            let open = |other: &Far| {
                let conflict = deed.conflict(other.mark.deed).filter(|_| other.block != block)?;
                let excused = conflict == Conflict::Word || known.dialect.is_ptx() && standing != Standing::Alike;
                let alike = excused && is_same_store(&other.mark, &by.mark);
                let is_told =
                    deed.is_weak() && !other.mark.deed.is_plain() && part.told.contains(&(block, by.mark.lane));
                let is_ordered = is_told && !self.order_matters;
                (!alike && !is_ordered).then_some((*other, conflict))
            };
            if let Some((other, conflict)) = part.seen.iter().find_map(open) {
                part.named = true;
                let fence = || {
                    Some(self.handed.passed(&other, &by, (buffer.into(), index))?.fence(known.code, false, [true; 2]))
                };
                let pair = Pair { known: &known, by, other, byte: index * known.grain };
                pair.report_decided(conflict, fence, &mut self.findings);
            }
            if part.seen.iter().all(|seen| seen.mark.deed != deed) {
                part.seen.push(by);
            }
            if access.place.returns {
                let lanes = lanes_of(access.mask).filter(|lane| access.addresses.at(*lane) / known.grain == index);
                part.told.extend(lanes.map(|lane| (block, mark(lane, 0).lane)));
            }
        }
        if access.place.atomic && known.dialect.is_ptx() {
            for lane in lanes_of(access.mask) {
                let by = Far { block, narrow, mark: mark(lane, 0) };
                self.handed.add((buffer.into(), access.addresses.at(lane) / known.grain), by);
            }
        }
    }
}
