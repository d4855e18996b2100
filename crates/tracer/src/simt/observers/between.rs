//! Finds data races between the workgroups of one launch: two of them at one place of a buffer, at least one writing. Nothing in WGSL
//! orders them: barriers reach one workgroup, and atomics are relaxed.
//!
//! Each word remembers, for each kind of access, which workgroup did it, or that several did: whatever their order, the same is left in the
//! end. Where that shows a race, the launch runs once more, in order, to see which lanes at which lines it was. Atomic operations that do
//! not commute are suspects only: a workgroup may know from what an atomic returned that it is the last one ([`crate::simt::raced`] tries
//! another order).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::atomics::Class;
use super::names::name;
use super::race::touched;
use super::{Access, Findings, Mend, Observer};
use crate::simt::code::{Code, Op};
use crate::simt::ir::{Mem, Variable};
use crate::simt::memory::Buffer;
use crate::trace::AccessKind;

/// Encoding of a word's workgroups: 0 for none, n + 1 for workgroup n, this for several.
const SEVERAL: u32 = u32::MAX;

/// A kind of access that can race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Read,
    Write,
    /// Of an atomic word.
    Atomic(Class),
}

impl Deed {
    const COUNT: usize = 2 + Class::COUNT;

    /// Of an access; None if it cannot race.
    pub fn of(access: &Access<'_>) -> Option<Self> {
        match (access.place.atomic, access.kind) {
            (true, _) => Class::of(access).map(Self::Atomic),
            (false, AccessKind::Load) => Some(Self::Read),
            (false, _) => Some(Self::Write),
        }
    }

    fn slot(self) -> usize {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Atomic(class) => 2 + class as usize,
        }
    }

    /// Whether two workgroups that do this to one word race.
    fn races_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Atomic(a), Self::Atomic(b)) => !a.commutes(b) || (a, b) == (Class::Store, Class::Store),
            _ => self == Self::Write || other == Self::Write,
        }
    }

    fn verbs(self) -> [String; 2] {
        match self {
            Self::Read => ["reads it", "read it"].map(str::to_owned),
            Self::Write => ["writes it", "wrote it"].map(str::to_owned),
            Self::Atomic(class) => [format!("does {}", class.name()), format!("did {}", class.name())],
        }
    }
}

/// Parts of a page: a launch that touches a few parts of a large buffer costs no more than their pages.
const PAGE: usize = 1 << 6;

/// The workgroups that touched each part of a page; allocated at the page's first touch.
type Page = OnceLock<Box<[AtomicU32]>>;

/// Who touched each word of a buffer.
struct Shadow {
    /// By [`Deed::slot`], then by word, in pages; empty where the kernel never does it.
    by: [Vec<Page>; Deed::COUNT],
    deeds: Vec<Deed>,
}

impl Shadow {
    /// The parts for which workgroups race, in order.
    fn raced(&self) -> impl Iterator<Item = usize> {
        let pages = self.by.iter().map(Vec::len).max().unwrap_or(0);
        let is_touched = |page: &usize| self.by.iter().any(|by| by.get(*page).is_some_and(|page| page.get().is_some()));
        let parts = (0..pages).filter(is_touched).flat_map(|page| page * PAGE..(page + 1) * PAGE);
        parts.filter(|part| self.races(*part))
    }

    fn races(&self, part: usize) -> bool {
        let page = |deed: &Deed| self.by[deed.slot()].get(part / PAGE)?.get();
        let who = |deed: &Deed| page(deed).map_or(0, |page| page[part % PAGE].load(Relaxed));
        self.deeds.iter().enumerate().any(|(i, a)| {
            let one = who(a);
            (one == SEVERAL && a.races_with(*a))
                || self.deeds[..i].iter().any(|b| {
                    let other = who(b);
                    a.races_with(*b) && one != 0 && other != 0 && (one != other || one == SEVERAL)
                })
        })
    }

    /// Whether it holds atomic words alone. (A struct with both is taken for plain.)
    fn is_atomic(&self) -> bool {
        self.deeds.iter().all(|deed| matches!(deed, Deed::Atomic(_)))
    }
}

/// Who touched which word of the buffers, over a whole launch.
pub struct Between {
    /// By binding; None for buffers that cannot race.
    shadows: Vec<Option<Shadow>>,
    grain: u32,
}

impl Between {
    /// Nothing was touched yet.
    pub fn new(code: &Code, buffers: &[Buffer<'_>], grain: u32) -> Self {
        let mut deeds: Vec<Vec<Deed>> = vec![Vec::new(); buffers.len()];
        for op in &code.ops {
            let (at, atomic, plain) = match op {
                Op::Load { place, .. } | Op::LoadOne { place, .. } => (*place, None, Some(Deed::Read)),
                Op::Store { place, .. } => (*place, Some(Class::Store), Some(Deed::Write)),
                Op::Atomic { place, op, .. } | Op::AtomicWords { place, op, .. } => (*place, Class::of_op(*op), None),
                _ => continue,
            };
            let place = &code.places[at as usize];
            let deed = if place.atomic { atomic.map(Deed::Atomic) } else { plain };
            if let (Mem::Buffer(buffer), Some(deed)) = (place.mem, deed)
                && !deeds[usize::from(buffer)].contains(&deed)
            {
                deeds[usize::from(buffer)].push(deed);
            }
        }
        let none =
            |words: usize| (0..(words * 4 / grain as usize).div_ceil(PAGE)).map(|_| Page::new()).collect::<Vec<_>>();
        let shadows = buffers.iter().zip(deeds).map(|(buffer, deeds)| match buffer {
            Buffer::Written(words) if deeds.iter().any(|a| deeds.iter().any(|b| a.races_with(*b))) => {
                let mut by = [const { Vec::new() }; Deed::COUNT];
                deeds.iter().for_each(|deed| by[deed.slot()] = none(words.len()));
                Some(Shadow { by, deeds })
            }
            _ => None,
        });
        Self { shadows: shadows.collect(), grain }
    }

    /// A workgroup accesses a part of a buffer.
    pub(super) fn touch(&self, buffer: u16, index: u32, deed: Deed, workgroup: u64) {
        let Some(Some(shadow)) = self.shadows.get(usize::from(buffer)) else { return };
        let Some(page) = shadow.by[deed.slot()].get(index as usize / PAGE) else { return };
        let part = &page.get_or_init(|| (0..PAGE).map(|_| AtomicU32::new(0)).collect())[index as usize % PAGE];
        let me = u32::try_from(workgroup + 1).unwrap_or(SEVERAL).min(SEVERAL - 1);
        let now = part.load(Relaxed);
        if now != me && now != SEVERAL && part.compare_exchange(0, me, Relaxed, Relaxed).is_err_and(|other| other != me)
        {
            part.store(SEVERAL, Relaxed);
        }
    }

    /// The first part of each buffer that workgroups race for by plain accesses.
    pub fn raced(&self) -> Vec<(u16, u32)> {
        self.of(false, |shadow| shadow.raced().take(1).collect())
    }

    /// The parts on which atomic operations of several workgroups do not commute.
    pub fn suspects(&self) -> Vec<(u16, u32)> {
        self.of(true, |shadow| shadow.raced().collect())
    }

    fn of(&self, atomic: bool, parts: impl Fn(&Shadow) -> Vec<usize>) -> Vec<(u16, u32)> {
        let shadows = self.shadows.iter().zip(0..).filter_map(|(shadow, buffer)| Some((shadow.as_ref()?, buffer)));
        let each = shadows.filter(|(shadow, _)| shadow.is_atomic() == atomic).flat_map(|(shadow, buffer)| {
            parts(shadow).into_iter().map(move |part| (buffer, u32::try_from(part).unwrap_or(u32::MAX)))
        });
        each.collect()
    }

    /// Bytes of a part.
    pub fn grain(&self) -> u32 {
        self.grain
    }
}

/// An access to one of the parts that are raced for.
#[derive(Clone, Copy)]
struct Mark {
    workgroup: u64,
    /// Its local index.
    lane: u32,
    line: u32,
    /// The operand; None for a load.
    value: Option<u32>,
}

/// A part, and who touched it first.
struct Contended {
    buffer: u16,
    index: u32,
    /// The first workgroup's access of each kind.
    seen: Vec<(Deed, Mark)>,
    named: bool,
}

/// Sees, of workgroups that run one after another, who races for some parts of buffers.
pub struct Witness<'a> {
    variables: &'a [Variable],
    parts: Vec<Contended>,
    grain: u32,
    width: u32,
    workgroup: u64,
    /// The local index of the first lane of the warp that runs now.
    first: u32,
    findings: Findings,
}

impl<'a> Witness<'a> {
    /// Of these parts; warps have `width` lanes.
    pub fn new(variables: &'a [Variable], raced: &[(u16, u32)], grain: u32, width: u32) -> Self {
        let parts = raced.iter().map(|(buffer, index)| Contended {
            buffer: *buffer,
            index: *index,
            seen: Vec::new(),
            named: false,
        });
        let findings = Findings::default();
        Self { variables, parts: parts.collect(), grain, width, workgroup: 0, first: 0, findings }
    }

    /// Begins workgroup number `linear`, which does what follows.
    pub fn start(&mut self, linear: u64) {
        (self.workgroup, self.findings.workgroup) = (linear, linear);
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
        self.first = warp * self.width;
    }

    fn access(&mut self, access: &Access<'_>) {
        let Mem::Buffer(buffer) = access.place.mem else { return };
        let Some(deed) = Deed::of(access) else { return };
        for part in self.parts.iter_mut().filter(|part| part.buffer == buffer && !part.named) {
            let (index, mut lane) = (part.index, None);
            touched(access, self.grain, |by, at| lane = lane.or((at == index).then_some(by)));
            let Some(lane) = lane else { continue };
            let value = access.operand.map(|operand| operand.at(lane));
            let by = Mark { workgroup: self.workgroup, lane: self.first + lane, line: access.place.line, value };
            // Stores of one value leave it, whichever comes first.
            let alike =
                |did: &Deed, mark: &Mark| deed == Deed::Atomic(Class::Store) && *did == deed && mark.value == by.value;
            let other = part
                .seen
                .iter()
                .find(|(did, mark)| deed.races_with(*did) && mark.workgroup != by.workgroup && !alike(did, mark));
            if let Some((did, other)) = other {
                part.named = true;
                let ([does, _], [_, did], variables) = (deed.verbs(), did.verbs(), self.variables);
                self.findings.report_race(by.line, None, || {
                    let message = format!(
                        "workgroups {} and {} race for {}: local index {} of workgroup {} {does} here, local index {} of workgroup {} {did} \
                         at line {}, and nothing orders the workgroups of a launch: launch twice, or read one buffer and write another",
                        other.workgroup,
                        by.workgroup,
                        name(access.place, index * self.grain, variables),
                        by.lane,
                        by.workgroup,
                        other.lane,
                        other.workgroup,
                        other.line,
                    );
                    (message, Mend::Said)
                });
            }
            if part.seen.iter().all(|(did, _)| *did != deed) {
                part.seen.push((deed, by));
            }
        }
    }
}
