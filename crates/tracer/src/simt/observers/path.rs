//! Records all that one workgroup does until it has written a word for the last time, to be walked backwards.
//!
//! The record is bounded: when it is full, the oldest steps go.

use std::collections::VecDeque;

use super::{Observer, Step, Watch};
use crate::simt::code::{Code, NONE, Op};
use crate::simt::collective::What;
use crate::simt::lanes::lanes_of;

/// Steps kept at most; with their words some 130 MB.
const MAX_STEPS: usize = 1 << 21;
/// Words kept with them at most.
const MAX_WORDS: usize = 1 << 24;

/// The address of a lane that was out of bounds.
const OUTSIDE: u32 = u32::MAX;

/// An operation that moved or computed something, or a branch.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub warp: u32,
    pub pc: u32,
    pub mask: u64,
    /// Where its words begin. Of an access: rounds of the loops around it, a byte address for each active lane, and
    /// what a load found. Of a subgroup operation: the index that each active lane gave.
    words: u64,
}

/// Records one workgroup.
pub struct Path<'a> {
    code: &'a Code,
    watch: Watch<'a>,
    /// The write of the workgroup to the watched word that is the last.
    until: u64,
    warp: u32,
    /// By warp, the operation before, and the round of each loop.
    warps: Vec<(usize, Vec<u32>)>,
    steps: VecDeque<Taken>,
    words: VecDeque<u32>,
    /// How many words went.
    gone: u64,
    /// Whether steps went.
    cut: bool,
    /// A load whose values are there once it has been executed: operation and active lanes.
    loading: Option<(usize, u64)>,
}

impl<'a> Path<'a> {
    /// For a workgroup of `warps` warps that `watch` watches, up to its write number `until`.
    pub fn new(code: &'a Code, watch: Watch<'a>, warps: usize, until: u64) -> Self {
        Self {
            code,
            watch,
            until,
            warp: 0,
            warps: vec![(usize::MAX, vec![0; code.loops.len()]); warps],
            steps: VecDeque::new(),
            words: VecDeque::new(),
            gone: 0,
            cut: false,
            loading: None,
        }
    }

    /// The recorded steps, the last one first.
    pub fn backwards(&self) -> impl Iterator<Item = Taken> + '_ {
        self.steps.iter().rev().copied()
    }

    /// Whether earlier steps are missing.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The loops around an operation, the outermost first, as indices of the code's.
    fn around(&self, pc: u32) -> impl Iterator<Item = usize> + '_ {
        let loops = self.code.loops.iter().enumerate().rev();
        loops.filter(move |(_, (first, last))| (*first..=*last).contains(&pc)).map(|(i, _)| i)
    }

    /// The rounds of the loops around a step, the outermost first: line of the loop, round from 0.
    pub fn rounds<'p>(&'p self, taken: &Taken) -> impl Iterator<Item = (u32, u32)> + 'p {
        let words = taken.words;
        self.around(taken.pc).zip(0..).map(move |(of, i)| {
            let (_, last) = self.code.loops[of];
            (self.code.lines[last as usize], self.word(words + i))
        })
    }

    /// The byte address that a lane of a step went to; None if that was out of bounds.
    pub fn address(&self, taken: &Taken, lane: u32) -> Option<u32> {
        let address = self.word(taken.words + self.around(taken.pc).count() as u64 + rank(taken.mask, lane));
        (address != OUTSIDE).then_some(address)
    }

    /// The index that a lane gave to a subgroup operation.
    pub fn index(&self, taken: &Taken, lane: u32) -> u32 {
        self.word(taken.words + rank(taken.mask, lane))
    }

    /// The value that a lane gave as register `i` of a box or a product in shared memory.
    pub fn given(&self, taken: &Taken, i: usize, lane: u32) -> u32 {
        let lanes = u64::from(taken.mask.count_ones());
        self.word(taken.words + self.around(taken.pc).count() as u64 + i as u64 * lanes + rank(taken.mask, lane))
    }

    /// The value that a lane of a load found in component `word` of the place's.
    pub fn loaded(&self, taken: &Taken, lane: u32, word: u8) -> u32 {
        let lanes = u64::from(taken.mask.count_ones());
        let before = self.around(taken.pc).count() as u64 + lanes;
        self.word(taken.words + before + u64::from(word) * lanes + rank(taken.mask, lane))
    }

    fn word(&self, at: u64) -> u32 {
        self.words.get((at - self.gone) as usize).copied().unwrap_or_default()
    }

    /// Counts the rounds of loops: each goes back from its last operation to its first.
    fn count_rounds(&mut self, pc: usize) {
        let (before, rounds) = &mut self.warps[self.warp as usize];
        for (round, (first, last)) in rounds.iter_mut().zip(&self.code.loops) {
            if pc != *first as usize {
                continue;
            }
            if *before == *last as usize {
                *round += 1;
            } else if !(*first as usize..*last as usize).contains(before) {
                *round = 0;
            }
        }
        *before = pc;
    }

    /// Keeps what the load before this step found.
    fn take_loaded(&mut self, step: &Step<'_>) {
        let Some((pc, mask)) = self.loading.take() else { return };
        match self.code.ops[pc] {
            Op::Load { place, dst } => {
                for dst in &dst[..usize::from(self.code.places[place as usize].components)] {
                    self.words.extend(lanes_of(mask).map(|lane| step.vector(*dst, lane)));
                }
            }
            Op::LoadOne { place, dst } => {
                for dst in &dst[..usize::from(self.code.places[place as usize].components)] {
                    self.words.extend(lanes_of(mask).map(|_| step.scalars[*dst as usize]));
                }
            }
            Op::AtomicWords { old, .. } => {
                for reg in old {
                    self.words.extend(lanes_of(mask).map(|lane| if reg == NONE { 0 } else { step.vector(reg, lane) }));
                }
            }
            // The old value, and whether a compare-exchange replaced it.
            Op::Atomic { old, done, .. } => {
                for reg in [old, done] {
                    self.words.extend(lanes_of(mask).map(|lane| if reg == NONE { 0 } else { step.vector(reg, lane) }));
                }
            }
            _ => {}
        }
    }

    /// Keeps the rounds of the loops around an operation.
    fn keep_rounds(&mut self, pc: u32) {
        for i in self.around(pc).collect::<Vec<_>>() {
            self.words.push_back(self.warps[self.warp as usize].1[i]);
        }
    }

    fn keep(&mut self, step: &Step<'_>) {
        let words = self.gone + self.words.len() as u64;
        let pc = u32::try_from(step.pc).unwrap_or(u32::MAX);
        let place = match self.code.ops[step.pc] {
            Op::Load { place, .. } | Op::LoadOne { place, .. } => {
                self.loading = Some((step.pc, step.mask));
                Some(place)
            }
            Op::Atomic { place, old, done, .. } => {
                self.loading = ([old, done] != [NONE; 2]).then_some((step.pc, step.mask));
                Some(place)
            }
            Op::AtomicWords { place, old, .. } => {
                self.loading = (old != [NONE; 4]).then_some((step.pc, step.mask));
                Some(place)
            }
            Op::Store { place, .. } => Some(place),
            Op::Collective { id } => {
                let together = &self.code.collectives[id as usize];
                if let What::Box(_) | What::Wgmma(_) = together.what {
                    self.keep_rounds(pc);
                    for reg in together.a.iter().chain(&together.b) {
                        self.words.extend(lanes_of(step.mask).map(|lane| step.vector(*reg, lane)));
                    }
                    None
                } else {
                    together.place
                }
            }
            Op::Subgroup { index, .. } => {
                self.words.extend(lanes_of(step.mask).map(|lane| step.operand(index, lane)));
                None
            }
            _ => None,
        };
        if let Some(place) = place {
            let place = &self.code.places[place as usize];
            self.keep_rounds(pc);
            self.words.extend(lanes_of(step.mask).map(|lane| step.address(place, lane).unwrap_or(OUTSIDE)));
        }
        self.steps.push_back(Taken { warp: self.warp, pc, mask: step.mask, words });
        while self.steps.len() > MAX_STEPS || self.words.len() > MAX_WORDS && self.steps.len() > 1 {
            self.cut = true;
            self.steps.pop_front();
            let next = self.steps.front().map_or(words, |taken| taken.words);
            self.words.drain(..(next - self.gone) as usize);
            self.gone = next;
        }
    }
}

/// How many lanes of `mask` come before `lane`.
fn rank(mask: u64, lane: u32) -> u64 {
    u64::from((mask & ((1 << lane) - 1)).count_ones())
}

impl Observer for Path<'_> {
    const ACTIVE: bool = false;
    const STEPS: bool = true;

    fn warp(&mut self, warp: u32) {
        self.warp = warp;
        self.watch.warp(warp);
    }

    fn step(&mut self, step: &Step<'_>) {
        self.take_loaded(step);
        if self.watch.writes >= self.until {
            return;
        }
        self.count_rounds(step.pc);
        self.watch.step(step);
        let op = &self.code.ops[step.pc];
        if op.moves() || op.branches() {
            self.keep(step);
        }
    }
}
