//! Workgroups that do not end by themselves: those whose fuel did not last, and those that wait for others.

use std::hash::Hasher;
use std::sync::atomic::Ordering;

use rustc_hash::FxHasher;

use super::code::{Code, Op};
use super::drive::{Watchers, drive};
use super::ir::Variable;
use super::launch::{Launch, Part, Totals};
use super::observers::{Checks, Counter, Fetching, Findings, Following, Requesting, Suspended};
use super::warp::{Warp, name_of};
use super::workgroup::{Progress, Scene, Workgroup};
use crate::trace::FindingKind;
use warpbook_base::units::count;

/// A workgroup that is to go on, with the checks it is under and its critical path.
pub(super) struct Waiting<'s, const W: usize> {
    pub workgroup: Workgroup<W>,
    pub checks: Option<Checks<'s>>,
    pub path: Option<Suspended>,
    pub why: Progress,
    /// Its registers and memory when it last waited, as a number.
    state: Option<u64>,
}

impl<'s, const W: usize> Waiting<'s, W> {
    pub fn new(workgroup: Workgroup<W>, checks: Option<Checks<'s>>, path: Option<Suspended>, why: Progress) -> Self {
        Self { workgroup, checks, path, why, state: None }
    }
}

impl Launch<'_> {
    /// Adds up the parts of a batch, and lets the workgroups go on whose share of the fuel did not last. Those that wait for others are
    /// put in `waiting`, which may hold `most`.
    pub(super) fn gather<'s, const W: usize>(
        &self,
        scene: &'s Scene<'s>,
        parts: Vec<Part<'s, W>>,
        totals: &mut Totals<'s>,
        waiting: &mut Vec<Waiting<'s, W>>,
        most: usize,
    ) {
        let mut stopped = Vec::new();
        for part in parts {
            totals.fuel = totals.fuel.saturating_sub(part.used);
            totals.complete &= !part.cancelled;
            totals.findings.add(part.findings);
            totals.recorders.extend(part.recorders);
            if let (Some(mine), Some(theirs)) = (&mut totals.counter, &part.counter) {
                mine.add(theirs);
            }
            stopped.extend(part.waiting);
        }
        let (out_of_fuel, waits): (Vec<_>, Vec<_>) =
            stopped.into_iter().partition(|stopped| stopped.why == Progress::OutOfFuel);
        waiting.extend(waits);
        self.go_on(scene, out_of_fuel, totals, waiting);
        if waiting.len() > most {
            let reason =
                format!("{} workgroups wait for others that have not begun, more than can be kept", waiting.len());
            self.report_waiting(scene, waiting, totals, &reason);
        }
    }

    /// Lets the workgroups that wait for each other go on in turns, until all have ended or none can.
    pub(super) fn finish_waiting<'s, const W: usize>(
        &self,
        scene: &'s Scene<'s>,
        totals: &mut Totals<'s>,
        waiting: &mut Vec<Waiting<'s, W>>,
    ) {
        while totals.complete && !waiting.is_empty() {
            let round = std::mem::take(waiting);
            if !self.go_on(scene, round, totals, waiting) && totals.complete {
                let reason = match waiting.len() {
                    1 => "nothing that still runs will store another (1 workgroup waits)".to_owned(),
                    n => format!("nothing that still runs will store another ({n} workgroups wait)"),
                };
                self.report_waiting(scene, waiting, totals, &reason);
            }
        }
    }

    /// Lets some workgroups go on, one after the other; those that wait still are put in `waiting`. False if nothing changed.
    fn go_on<'s, const W: usize>(
        &self,
        scene: &'s Scene<'s>,
        workgroups: Vec<Waiting<'s, W>>,
        totals: &mut Totals<'s>,
        waiting: &mut Vec<Waiting<'s, W>>,
    ) -> bool {
        let mut changed = false;
        for Waiting { mut workgroup, mut checks, path, state, .. } in workgroups {
            totals.complete &= !scene.cancel.load(Ordering::Relaxed);
            if !totals.complete {
                break;
            }
            let recorder = totals.recorders.iter_mut().find(|r| u64::from(r.workgroup()) == workgroup.linear);
            let mut fetching = self.fetched.map(Fetching::new);
            fetching.iter_mut().for_each(|f| f.start(workgroup.linear));
            let mut following = self.trail.map(Following::new);
            following.iter_mut().for_each(|f| f.start(workgroup.linear, &workgroup.shared));
            let mut requesting = self.requested.map(Requesting::new);
            requesting.iter_mut().for_each(|r| r.start(workgroup.linear));
            totals.counter.iter_mut().zip(path).for_each(|(counter, path)| counter.resume(path));
            let watchers = Watchers {
                counter: totals.counter.as_mut(),
                recorder,
                checks: checks.as_mut(),
                fetching: fetching.as_mut(),
                following: following.as_mut(),
                requesting: requesting.as_mut(),
            };
            let how = drive(&mut workgroup, scene, watchers, &mut totals.findings, &mut totals.fuel);
            if how == Progress::Waits {
                let now = workgroup.state();
                changed |= state != Some(now);
                let path = totals.counter.as_mut().map(Counter::suspend);
                waiting.push(Waiting { workgroup, checks, path, why: how, state: Some(now) });
                continue;
            }
            changed = true;
            if how == Progress::OutOfFuel {
                let line = workgroup.line(scene.code);
                let (limit, linear) = (self.options.fuel, workgroup.linear);
                totals.findings.report(line, FindingKind::OutOfFuel, || {
                    format!(
                        "the run was stopped after {} steps, the tracer's limit; workgroup {linear} was here. \
                         Lower what the work depends on; or does this loop not end?",
                        count(limit)
                    )
                });
            }
            totals.complete &= how == Progress::Done;
        }
        changed
    }

    /// Ends a launch whose workgroups wait for what none of them will do.
    fn report_waiting<const W: usize>(
        &self,
        scene: &Scene<'_>,
        waiting: &mut Vec<Waiting<'_, W>>,
        totals: &mut Totals<'_>,
        reason: &str,
    ) {
        totals.complete = false;
        for waiting in waiting.drain(..) {
            totals.findings.workgroup = waiting.workgroup.linear;
            waiting.workgroup.report_spins(scene, &mut totals.findings, reason);
        }
    }
}

impl<const W: usize> Workgroup<W> {
    /// Its registers and memory as a number: the same again only if nothing changed.
    fn state(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.shared.iter().for_each(|word| hasher.write_u32(*word));
        self.engine
            .barriers
            .iter()
            .for_each(|barrier| hasher.write_u64(u64::from(barrier.phase) << 32 | u64::from(barrier.missing)));
        for warp in &self.warps {
            warp.hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Reports the warps that go round in loops.
    fn report_spins(&self, scene: &Scene<'_>, findings: &mut Findings, reason: &str) {
        for (i, warp) in self.warps.iter().enumerate().filter(|(i, _)| self.stops[*i].is_none()) {
            let (line, what) = awaited(scene.code, scene.variables, warp.pc);
            findings.report(line, FindingKind::Deadlock, || {
                let parted = match warp.launched & !warp.mask {
                    0 => "",
                    _ => "; other lanes of this warp have left the loop or wait after it, and do not go on before it ends",
                };
                format!("warp {i} of workgroup {} waits here for another value of {what}, and {reason}{parted}", self.linear)
            });
        }
    }
}

/// The line and the name of what a loop waits for, of whose first operations `pc` is one.
fn awaited(code: &Code, variables: &[Variable], pc: usize) -> (u32, String) {
    let place = code.ops[pc..].iter().find_map(|op| match op {
        Op::Load { place, .. }
        | Op::LoadOne { place, .. }
        | Op::Atomic { place, .. }
        | Op::AtomicWords { place, .. } => Some(&code.places[*place as usize]).filter(|place| place.atomic),
        _ => None,
    });
    place.map_or((code.lines[pc], "a word".to_owned()), |place| (place.line, name_of(place, variables)))
}

impl<const W: usize> Warp<W> {
    fn hash(&self, hasher: &mut FxHasher) {
        hasher.write_usize(self.pc);
        hasher.write_u64(self.mask);
        self.scalars.iter().for_each(|word| hasher.write_u32(*word));
        self.vectors.as_flattened().iter().for_each(|word| hasher.write_u32(*word));
        self.slots.iter().for_each(|slot| hasher.write_u64(*slot));
    }
}
