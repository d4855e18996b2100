//! A backward slice of what one workgroup did: from the last write of a word to the loads that its value came from, or depended on.
//!
//! The walk goes from the last step to the first with a set of what still matters: registers, by lane, and words of
//! memory. A step that defines something in the set takes it out and puts in what it was made of. A scalar register,
//! which a warp has once for all its lanes, matters on behalf of some of them.
//!
//! If a step matters, so do the branches that it depends on. If a register matters, so do the branches that, taken the other way, could
//! have written it.

mod matrices;

use std::collections::HashMap;

use super::code::{Code, Given, Index, Mention, NONE, Op, Place};
use super::control::Control;
use super::ir::{AtomicOp, Builtin, Mem};
use super::memory::Buffer;
use super::observers::{Path, Taken, Write};
use super::ops::Src;
use super::subgroup::Subgroup;
use crate::simt::lanes::lanes_of;
use crate::trace::provenance::{MAX_LOADS, Role, Stored};

/// The lanes for which something matters: as part of the value, for where something was, or for whether something was done.
#[derive(Clone, Copy, Debug, Default)]
struct Live {
    value: u64,
    index: u64,
    condition: u64,
}

impl Live {
    fn any(self) -> u64 {
        self.value | self.index | self.condition
    }

    fn of(self, lanes: u64) -> Self {
        let Self { value, index, condition } = self;
        Self { value: value & lanes, index: index & lanes, condition: condition & lanes }
    }

    /// The same roles for other lanes.
    fn moved(self, lanes: u64) -> Self {
        let to = |had: u64| if had == 0 { 0 } else { lanes };
        Self { value: to(self.value), index: to(self.index), condition: to(self.condition) }
    }

    /// The same lanes, for the addresses of what mattered.
    fn addresses(self) -> Self {
        Self { value: 0, index: self.value | self.index, condition: self.condition }
    }

    fn add(&mut self, other: Self) {
        self.value |= other.value;
        self.index |= other.index;
        self.condition |= other.condition;
    }

    /// Takes out some lanes.
    fn take(&mut self, lanes: u64) -> Self {
        let taken = self.of(lanes);
        *self = self.of(!lanes);
        taken
    }

    /// The strongest of its roles.
    fn role(self) -> Role {
        match self {
            Self { value: 1.., .. } => Role::Value,
            Self { index: 1.., .. } => Role::Index,
            _ => Role::Condition,
        }
    }
}

/// A component in memory that matters, and the loads that asked for it.
#[derive(Default)]
struct Wanted {
    /// Its roles: one lane represents all.
    live: Live,
    loads: Vec<usize>,
}

/// A load that the walk reached.
pub struct Found {
    /// The step.
    pub taken: Taken,
    /// Its place.
    pub place: u32,
    /// The lane, and the word of those that it loaded.
    pub lane: u32,
    pub part: u8,
    /// Byte address of that word.
    pub address: u32,
    /// Its bits, if the path does not have them.
    pub bits: Option<u32>,
    pub role: Role,
    /// Who in the workgroup had stored it.
    pub stored_by: Option<Stored>,
}

/// The result of the walk.
pub struct Slice {
    /// Loads, the latest first.
    pub found: Vec<Found>,
    /// Loads that did not fit.
    pub omitted: u64,
    /// Built-in inputs in the value.
    pub builtins: Vec<Builtin>,
}

/// Walks back through `path`, of `warps` warps, in whose last step `write` writes to `buffer`.
pub fn slice(code: &Code, buffers: &[Buffer<'_>], path: &Path<'_>, write: &Write, buffer: u16, warps: usize) -> Slice {
    let vectors = (code.vectors + code.local_words) as usize;
    let mut walk = Walk {
        code,
        buffers,
        path,
        scalars: vec![Live::default(); warps * code.scalars as usize],
        vectors: vec![Live::default(); warps * vectors],
        words: HashMap::new(),
        control: Control::of(code),
        decisive: HashMap::new(),
        root: Some(write.lane),
        slice: Slice { found: Vec::new(), omitted: 0, builtins: Vec::new() },
    };
    walk.words.insert(
        (Some(buffer), write.component.byte),
        Wanted { live: Live { value: 1, ..Live::default() }, loads: Vec::new() },
    );
    for taken in path.backwards() {
        walk.step(&taken);
        walk.root = None;
    }
    if !path.is_cut() {
        walk.givens(warps);
    }
    walk.slice
}

struct Walk<'a> {
    code: &'a Code,
    buffers: &'a [Buffer<'a>],
    path: &'a Path<'a>,
    /// By warp and register.
    scalars: Vec<Live>,
    /// By warp and register, rows of local memory included.
    vectors: Vec<Live>,
    /// By buffer (none: workgroup memory) and the byte that a component starts at.
    words: HashMap<(Option<u16>, u32), Wanted>,
    control: Control,
    /// By warp and branch, the lanes with a step that matters and depends on the branch; resolved at its next execution on the way back.
    decisive: HashMap<(u32, u32), u64>,
    /// The lane of the write that all begins with, while that is the present step.
    root: Option<u32>,
    slice: Slice,
}

impl Walk<'_> {
    fn scalar(&mut self, warp: u32, reg: u32) -> &mut Live {
        &mut self.scalars[(warp * self.code.scalars + reg) as usize]
    }

    fn vector(&mut self, warp: u32, reg: u32) -> &mut Live {
        &mut self.vectors[(warp * (self.code.vectors + self.code.local_words) + reg) as usize]
    }

    /// An operand matters from now on.
    fn want(&mut self, warp: u32, src: Src, live: Live) {
        if src.is_scalar() {
            self.scalar(warp, src.reg()).add(live);
        } else {
            self.vector(warp, src.reg()).add(live);
        }
    }

    /// The indices of a place matter.
    fn want_indices(&mut self, warp: u32, place: &Place, live: Live) {
        let live = live.addresses();
        for term in &place.terms {
            match term.index {
                Index::One(reg) => self.scalar(warp, reg).add(live),
                Index::Linear { base, step } => [base, step].into_iter().for_each(|r| self.scalar(warp, r).add(live)),
                Index::Lanes(reg) => self.vector(warp, reg).add(live),
            }
        }
    }

    /// A step did something that matters for these lanes: so do the branches that led to it.
    fn decided_by(&mut self, taken: &Taken, lanes: u64) {
        for branch in self.control.branches(taken.pc) {
            *self.decisive.entry((taken.warp, *branch)).or_default() |= lanes;
        }
    }

    /// A branch: its condition matters for the lanes that something was done for, or not done, because of it.
    fn branch(&mut self, taken: &Taken, (cond, one): (u32, bool)) {
        let mut lanes = 0;
        if let Some(decisive) = self.decisive.get_mut(&(taken.warp, taken.pc)) {
            lanes = *decisive & taken.mask;
            *decisive &= !taken.mask;
        }
        if let Some(decided) = self.control.decided(taken.pc) {
            let first = (taken.warp * self.code.scalars) as usize;
            let scalars = decided.scalars.iter().map(|reg| self.scalars[first + *reg as usize].any());
            let first = (taken.warp * (self.code.vectors + self.code.local_words)) as usize;
            let vectors = decided.vectors.iter().map(|reg| self.vectors[first + *reg as usize].any());
            lanes |= scalars.chain(vectors).fold(0, |all, live| all | live) & taken.mask;
        }
        if lanes != 0 {
            let live = Live { condition: lanes, ..Live::default() };
            if one {
                self.scalar(taken.warp, cond).add(live);
            } else {
                self.vector(taken.warp, cond).add(live);
            }
            self.decided_by(taken, lanes);
        }
    }

    fn step(&mut self, taken: &Taken) {
        let code = self.code;
        let warp = taken.warp;
        match code.ops[taken.pc as usize] {
            Op::JumpIf { cond, .. } => self.branch(taken, (cond, true)),
            Op::Split { cond, .. } | Op::LeaveIf { cond, .. } => self.branch(taken, (cond, false)),
            op @ (Op::SUn { .. } | Op::SBin { .. } | Op::STri { .. }) => self.compute(op, taken, u64::MAX),
            op @ (Op::VUn { masked, .. }
            | Op::VBin { masked, .. }
            | Op::VTri { masked, .. }
            | Op::Wide { masked, .. }
            | Op::Fill { masked, .. }
            | Op::Ramp { masked, .. }) => self.compute(op, taken, if masked { taken.mask } else { u64::MAX }),
            Op::LoadOne { place: at, dst } => {
                let place = &code.places[at as usize];
                for (part, dst) in (0..place.components).zip(dst) {
                    let live = std::mem::take(self.scalar(warp, dst));
                    if live.any() != 0 {
                        // All lanes have one address: the first's is that of the lanes that it was loaded for.
                        let first = taken.mask.trailing_zeros();
                        self.load(taken, at, part, first, live);
                        self.want_indices(warp, place, live);
                        self.decided_by(taken, live.any());
                    }
                }
            }
            Op::Load { place: at, dst } => {
                let place = &code.places[at as usize];
                for (part, dst) in (0..place.components).zip(dst) {
                    let live = self.vector(warp, dst).take(taken.mask);
                    lanes_of(live.any()).for_each(|lane| self.load(taken, at, part, lane, live.of(1 << lane)));
                    self.want_indices(warp, place, live);
                    self.decided_by(taken, live.any());
                }
            }
            Op::Store { place, src } => self.store(taken, &code.places[place as usize], &src),
            Op::Atomic { op, place, value, compare, old, done } => {
                self.atomic(taken, place, op, [value, compare], [old, done]);
            }
            Op::AtomicWords { op, place, operands, old } => {
                self.atomic_words(taken, place, op, operands, old);
            }
            Op::ClearLocal { first, rows } => {
                for row in first..first + rows {
                    self.vector(warp, code.vectors + row).take(taken.mask);
                }
            }
            Op::Subgroup { op, dst, a, index, one } => self.subgroup(taken, (op, dst, one), (a, index)),
            Op::Collective { id } => self.collective(taken, &code.collectives[id as usize]),
            // Control flow, which is not recorded.
            op => debug_assert!(!op.moves()),
        }
    }

    /// An operation among lanes: each that matters wants the values of those that it was made of.
    fn subgroup(&mut self, taken: &Taken, (op, dst, one): (Subgroup, [u32; 4], bool), (a, index): (u32, Src)) {
        let (warp, mask) = (taken.warp, taken.mask);
        let mut live = Live::default();
        for dst in &dst[..op.results()] {
            live.add(if one { std::mem::take(self.scalar(warp, *dst)) } else { self.vector(warp, *dst).take(mask) });
        }
        // A result that all lanes share is found once, by the first.
        self.decided_by(taken, live.any());
        let askers = if one { mask & mask.wrapping_neg() } else { live.any() & mask };
        for lane in lanes_of(if live.any() == 0 { 0 } else { askers }) {
            let wants = if one { live } else { live.of(1 << lane) };
            let from = op.sources(lane, self.path.index(taken, lane), mask);
            self.vector(warp, a).add(wants.moved(from));
            if op.has_index() {
                self.want(warp, index, wants.addresses().moved(1 << lane));
            }
        }
    }

    /// An operation on registers, lane by lane, that writes those of `lanes`.
    fn compute(&mut self, mut op: Op, taken: &Taken, lanes: u64) {
        let warp = taken.warp;
        let mut live = Live::default();
        op.mentions(&mut [], &mut [], &mut |mention| match mention {
            Mention::WriteOne(reg) => live.add(std::mem::take(self.scalar(warp, *reg))),
            Mention::Write(reg) => live.add(self.vector(warp, *reg).take(lanes)),
            Mention::ReadOne(_) | Mention::Read(_) => {}
        });
        if live.any() == 0 {
            return;
        }
        self.decided_by(taken, live.any());
        op.mentions(&mut [], &mut [], &mut |mention| match mention {
            Mention::ReadOne(reg) => self.scalar(warp, *reg).add(live),
            Mention::Read(reg) => self.vector(warp, *reg).add(live),
            Mention::WriteOne(_) | Mention::Write(_) => {}
        });
    }

    /// A component of a place, as what matters is named.
    fn key(place: &Place, address: u32) -> (Option<u16>, u32) {
        match place.mem {
            Mem::Buffer(buffer) => (Some(buffer), address),
            // Local memory is registers here, and never asks.
            Mem::Shared | Mem::Local => (None, address),
        }
    }

    /// A word matters that was loaded at the address of `lane`, on behalf of the lanes in `live`.
    fn load(&mut self, taken: &Taken, at: u32, part: u8, lane: u32, live: Live) {
        let place = &self.code.places[at as usize];
        // Out of bounds is a zero from nowhere.
        let Some(address) = self.path.address(taken, lane).map(|a| a + u32::from(part * place.width.bytes())) else {
            return;
        };
        if place.mem == Mem::Local {
            let row = self.code.vectors + address / 4;
            self.vector(taken.warp, row).add(live);
            return;
        }
        self.found(taken, (at, part, lane), (address, None), live);
    }

    /// A word of a place was loaded from `address`, with these bits if the path does not know them, on behalf of the lanes in `live`.
    fn found(
        &mut self,
        taken: &Taken,
        (at, part, lane): (u32, u8, u32),
        (address, bits): (u32, Option<u32>),
        live: Live,
    ) {
        let place = &self.code.places[at as usize];
        let role = live.role();
        let number = self.slice.found.len();
        let listed = number < 2 * MAX_LOADS;
        if listed {
            let lane = if live.any() >> lane & 1 == 1 { lane } else { (live.any() & taken.mask).trailing_zeros() };
            self.slice.found.push(Found { taken: *taken, place: at, lane, part, address, bits, role, stored_by: None });
        } else {
            self.slice.omitted += 1;
        }
        if let Mem::Buffer(buffer) = place.mem
            && matches!(self.buffers[usize::from(buffer)], Buffer::Read(_))
        {
            return;
        }
        let wanted = self.words.entry(Self::key(place, address)).or_default();
        wanted.live.add(live.moved(1));
        wanted.loads.extend(listed.then_some(number));
    }

    /// A lane stored a word: if it matters, it matters no longer, and gives the roles it had.
    fn stored(&mut self, taken: &Taken, place: &Place, address: u32, lane: u32) -> Option<Live> {
        let wanted = self.words.remove(&Self::key(place, address))?;
        for load in wanted.loads {
            self.slice.found[load].stored_by = Some(Stored { warp: taken.warp, lane, line: place.line });
        }
        Some(wanted.live.moved(1 << lane))
    }

    fn store(&mut self, taken: &Taken, place: &Place, src: &[Src; 4]) {
        if self.words.is_empty() && place.mem != Mem::Local {
            return;
        }
        // Where several lanes store to one word, the last one's value stays.
        for lane in lanes_of(taken.mask).collect::<Vec<_>>().into_iter().rev() {
            let Some(address) = self.path.address(taken, lane) else { continue };
            for (part, src) in (0..u32::from(place.components)).zip(src) {
                let address = address + part * u32::from(place.width.bytes());
                let live = if place.mem == Mem::Local {
                    let row = self.code.vectors + address / 4;
                    Some(self.vector(taken.warp, row).take(1 << lane)).filter(|live| live.any() != 0)
                } else {
                    self.stored(taken, place, address, lane)
                };
                if let Some(live) = live {
                    self.want(taken.warp, *src, live);
                    self.want_indices(taken.warp, place, live);
                    self.decided_by(taken, live.any());
                }
            }
        }
    }

    fn atomic(&mut self, taken: &Taken, at: u32, op: AtomicOp, operands: [Src; 2], results: [u32; 2]) {
        let place = &self.code.places[at as usize];
        let [value, compare] = operands;
        for lane in lanes_of(taken.mask).collect::<Vec<_>>().into_iter().rev() {
            if self.root.is_some_and(|root| root != lane) {
                continue;
            }
            let found = results.map(|reg| match reg {
                NONE => Live::default(),
                reg => self.vector(taken.warp, reg).take(1 << lane),
            });
            let Some(address) = self.path.address(taken, lane) else { continue };
            let wrote = op != AtomicOp::CompareExchange || self.path.loaded(taken, lane, 1) != 0;
            if wrote && let Some(live) = self.stored(taken, place, address, lane) {
                self.want(taken.warp, value, live);
                self.want_indices(taken.warp, place, live);
                self.decided_by(taken, live.any());
                if self.root.is_some() {
                    // Of the element that was asked for, the other writers are counted instead.
                    return;
                }
                // The old value is part of the new one.
                if !matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange) {
                    let wanted = self.words.entry(Self::key(place, address)).or_default();
                    wanted.live.add(live.moved(1));
                }
            }
            let [old, done] = found;
            if done.any() != 0 {
                self.want(taken.warp, compare, done);
            }
            let mut live = old;
            live.add(done);
            if live.any() != 0 {
                self.want_indices(taken.warp, place, live);
                self.decided_by(taken, live.any());
                self.load(taken, at, 0, lane, live);
            }
        }
    }

    /// The same on several words of a lane. That a compare-exchange replaced nothing is not seen, so what it would have written counts as written.
    fn atomic_words(&mut self, taken: &Taken, at: u32, op: AtomicOp, operands: [Src; 4], old: [u32; 4]) {
        let place = &self.code.places[at as usize];
        for lane in lanes_of(taken.mask).collect::<Vec<_>>().into_iter().rev() {
            if self.root.is_some_and(|root| root != lane) {
                continue;
            }
            let Some(address) = self.path.address(taken, lane) else { continue };
            for part in 0..place.components {
                let found = match old[usize::from(part)] {
                    NONE => Live::default(),
                    reg => self.vector(taken.warp, reg).take(1 << lane),
                };
                if let Some(live) = self.stored(taken, place, address + 4 * u32::from(part), lane) {
                    let all = if place.vector > 0 { usize::from(part)..usize::from(part) + 1 } else { 0..4 };
                    for src in &operands[all] {
                        self.want(taken.warp, *src, live);
                    }
                    self.want_indices(taken.warp, place, live);
                    self.decided_by(taken, live.any());
                    if self.root.is_none() && op != AtomicOp::Exchange {
                        let key = Self::key(place, address + 4 * u32::from(part));
                        self.words.entry(key).or_default().live.add(live.moved(1));
                    }
                }
                if found.any() != 0 {
                    self.want_indices(taken.warp, place, found);
                    self.decided_by(taken, found.any());
                    self.load(taken, at, part, lane, found);
                }
            }
        }
    }

    /// Notes the built-in inputs that still matter at the start.
    fn givens(&mut self, warps: usize) {
        let mut seen = |given: &Given, live: Live| {
            if let Given::Builtin(builtin) = given
                && live.value != 0
                && !self.slice.builtins.contains(builtin)
            {
                self.slice.builtins.push(*builtin);
            }
        };
        for warp in 0..warps {
            let first = warp * self.code.scalars as usize;
            self.code.given_scalars.iter().zip(&self.scalars[first..]).for_each(|(given, live)| seen(given, *live));
            let first = warp * (self.code.vectors + self.code.local_words) as usize;
            self.code.given_vectors.iter().zip(&self.vectors[first..]).for_each(|(given, live)| seen(given, *live));
        }
    }
}
