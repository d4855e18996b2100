//! One workgroup: its warps take turns, from barrier to barrier, over the memory they share.

use std::sync::atomic::{AtomicBool, Ordering};

use super::code::{Code, Op};
use super::engine::Engine;
use super::ir::{Absent, Orders, Variable, Votes};
use super::mbarriers::NAMED;
use super::memory::Buffer;
use super::observers::{Between, Findings, Global, Meet, Observer, Poisoned, Stored};
use super::warp::{Position, Stop, Surroundings, Warp};
use crate::trace::FindingKind;

/// Instructions between two looks at whether the run was cancelled.
/// Larger than any basic block.
const SLICE: u64 = 1 << 22;

/// How far a workgroup came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// To its end.
    Done,
    /// As far as its fuel lasted; it can go on.
    OutOfFuel,
    /// Until the run was cancelled.
    Cancelled,
    /// To loops that wait for what other workgroups will store; it can go on.
    Waits,
}

/// The context of a run, which does not change.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub code: &'a Code,
    pub variables: &'a [Variable],
    pub buffers: &'a [Buffer<'a>],
    /// The words of the buffers that were not written before the launch; empty if not looked for.
    pub poisoned: &'a [Poisoned],
    /// Who touched what, over all workgroups; None if not looked for.
    pub between: Option<&'a Between>,
    /// What the workgroups did so far; None if nothing orders them.
    pub global: Option<&'a Global>,
    /// Where the run stores to; None if not noted.
    pub stored: Option<&'a Stored>,
    /// Whether the last warp of a workgroup comes first.
    pub backward: bool,
    pub size: [u32; 3],
    pub grid: [u32; 3],
    pub cancel: &'a AtomicBool,
}

impl Scene<'_> {
    /// The numbers of all workgroups, in order.
    pub fn workgroups(&self) -> std::ops::Range<u64> {
        0..self.grid.into_iter().map(u64::from).product()
    }

    /// The position of workgroup number `linear`.
    fn position(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(|n| u64::from(n.max(1)));
        let part = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        [part(linear % x), part(linear / x % y), part(linear / (x * y))]
    }
}

/// A workgroup of warps with `W` lanes.
pub struct Workgroup<const W: usize> {
    /// Its number in the grid.
    pub linear: u64,
    pub(super) warps: Vec<Warp<W>>,
    pub(super) stops: Vec<Option<Stop>>,
    pub(super) shared: Vec<u32>,
    pub(super) engine: Engine,
}

impl<const W: usize> Workgroup<W> {
    /// Room for any workgroup of the run.
    pub fn new(scene: &Scene<'_>, shared_bytes: u32) -> Self {
        let count = warps(scene.size, W);
        Self {
            linear: 0,
            warps: vec![Warp::new(scene.code); count],
            stops: vec![None; count],
            shared: vec![0; shared_bytes.div_ceil(4) as usize],
            engine: Engine::default(),
        }
    }

    /// The memory that a workgroup takes, in bytes.
    pub fn bytes(code: &Code, size: [u32; 3], shared_bytes: u32) -> u64 {
        let vectors = (u64::from(code.vectors) + u64::from(code.local_words)) * W as u64;
        let words = vectors + u64::from(code.scalars) + 2 * u64::from(code.slots);
        words * 4 * warps(size, W) as u64 + u64::from(shared_bytes)
    }

    /// Becomes workgroup number `linear`, at its start.
    pub fn start(&mut self, scene: &Scene<'_>, linear: u64) {
        self.linear = linear;
        let id = scene.position(linear);
        for (i, warp) in (0..).zip(&mut self.warps) {
            warp.start(scene.code, i, scene.size, id, scene.grid);
        }
        self.stops.fill(None);
        self.engine = Engine::default();
        // WGSL gives workgroup memory zeros.
        self.shared.fill(0);
    }

    /// Runs on, with `fuel` instructions at most, of which it takes what it used.
    pub fn run<O: Observer>(
        &mut self,
        scene: &Scene<'_>,
        observer: &mut O,
        findings: &mut Findings,
        fuel: &mut u64,
    ) -> Progress {
        loop {
            if let Some(how) = self.run_to_barrier(scene, observer, findings, fuel) {
                return how;
            }
        }
    }

    /// Runs the warps in turns, up to their next barrier or their end; gives None if the workgroup can go on.
    pub fn run_to_barrier<O: Observer>(
        &mut self,
        scene: &Scene<'_>,
        observer: &mut O,
        findings: &mut Findings,
        fuel: &mut u64,
    ) -> Option<Progress> {
        findings.workgroup = self.linear;
        let mut around = Surroundings {
            code: scene.code,
            variables: scene.variables,
            buffers: scene.buffers,
            shared: &mut self.shared,
            engine: &mut self.engine,
            observer,
            findings,
            at: Position { workgroup: self.linear, warp: 0 },
            fuel: 0,
        };
        let spins = loop {
            let (mut went_on, mut spins) = (false, false);
            let count = self.warps.len();
            for n in 0..count {
                let at = if scene.backward { count - 1 - n } else { n };
                let (warp, stop, i) = (&mut self.warps[at], &mut self.stops[at], at as u32);
                let waits = match *stop {
                    None => false,
                    Some(Stop::Waits) => true,
                    Some(Stop::Named(number)) if around.engine.passes(number, i) => {
                        around.observer.warp(i);
                        around.observer.meet(warp.mask, Meet::Passes(NAMED | number));
                        false
                    }
                    Some(_) => continue,
                };
                around.at.warp = i;
                around.observer.warp(i);
                let slice = SLICE.min(*fuel);
                around.fuel = slice;
                let before = warp.pc;
                let why = warp.run(&mut around);
                *fuel -= slice - around.fuel;
                if why == Stop::Trapped {
                    around.observer.done();
                    return Some(Progress::Done);
                }
                spins |= why == Stop::Spins;
                // One that still waits where it did has done nothing, and one that goes round in a loop has to be looked at by others.
                went_on |=
                    why != Stop::Spins && !(waits && why == Stop::Waits && warp.pc == before && around.fuel == slice);
                *stop = match why {
                    Stop::OutOfFuel | Stop::Yields | Stop::Spins => None,
                    why => Some(why),
                };
                if why == Stop::OutOfFuel && slice < SLICE {
                    // The slice was all there was.
                    return Some(Progress::OutOfFuel);
                }
                if stop.is_none() && scene.cancel.load(Ordering::Relaxed) {
                    return Some(Progress::Cancelled);
                }
            }
            if !went_on {
                break spins;
            }
        };
        if spins {
            return Some(Progress::Waits);
        }
        if release(&mut self.warps, &mut self.stops, &mut around) {
            return None;
        }
        around.observer.done();
        Some(Progress::Done)
    }

    /// The line of the first warp that has not stopped: where fuel ran out.
    pub fn line(&self, code: &Code) -> u32 {
        let running = self.warps.iter().zip(&self.stops).find(|(_, stop)| stop.is_none());
        running.and_then(|(warp, _)| code.lines.get(warp.pc)).copied().unwrap_or(1)
    }
}

/// Lets the warps at barriers go on; false where there are none.
fn release<O: Observer, const W: usize>(
    warps: &mut [Warp<W>],
    stops: &mut [Option<Stop>],
    around: &mut Surroundings<'_, O>,
) -> bool {
    let at_barrier = |stop: &Option<Stop>| *stop == Some(Stop::Barrier);
    if stops.iter().any(|stop| matches!(stop, Some(Stop::Waits | Stop::Named(_)))) {
        report_deadlock(warps, stops, around);
        return false;
    }
    let Some(first) = stops.iter().position(at_barrier) else { return false };
    let code = around.code;
    let line = |warp: &Warp<W>| code.lines[warp.pc - 1];
    let absent = match code.ops[warps[first].pc - 1] {
        Op::Barrier(orders) => orders.absent,
        Op::Vote { absent, .. } => absent,
        _ => Absent::Wrong,
    };
    let other = warps.iter().zip(&*stops).enumerate().find_map(|(i, (warp, stop))| {
        if !at_barrier(stop) {
            (warp.launched & !warp.left(absent) != 0).then(|| format!("warp {i} has ended"))
        } else if warp.pc != warps[first].pc {
            Some(format!("warp {i} waits at line {}", line(warp)))
        } else {
            None
        }
    });
    if let Some(other) = other {
        around.report(line(&warps[first]), FindingKind::DivergentBarrier, |at, _| {
            format!("warp {first} waits at this barrier but {other} (workgroup {})", at.workgroup)
        });
    }
    for (i, (warp, stop)) in (0..).zip(warps.iter().zip(&*stops)).filter(|_| O::ACTIVE) {
        let missing = if at_barrier(stop) { warp.launched & !warp.mask } else { warp.launched };
        if missing != 0 {
            around.observer.warp(i);
            around.observer.meet(missing, Meet::Misses);
        }
    }
    match code.ops[warps[first].pc - 1] {
        Op::Barrier(orders) => around.observer.release(orders),
        Op::Vote { how, a, dst, .. } => {
            around.observer.release(Orders { shared: true, storage: true, absent: Absent::Wrong });
            let (mut lanes, mut holds) = (0, 0);
            for warp in &*warps {
                lanes += warp.mask.count_ones();
                holds += warp.truth(a).count_ones();
            }
            let result = match how {
                Votes::Count => holds,
                Votes::All => u32::from(holds == lanes),
                Votes::Any => u32::from(holds > 0),
            };
            warps.iter_mut().for_each(|warp| warp.scalars[dst as usize] = result);
        }
        _ => {}
    }
    for stop in stops.iter_mut().filter(|stop| at_barrier(stop)) {
        *stop = None;
    }
    true
}

/// Reports that no warp can go on, with what each waits for.
fn report_deadlock<O, const W: usize>(warps: &[Warp<W>], stops: &[Option<Stop>], around: &mut Surroundings<'_, O>) {
    let code = around.code;
    let mut waits: Vec<(u32, String, Vec<usize>)> = Vec::new();
    for (i, (warp, stop)) in warps.iter().zip(stops).enumerate() {
        let (line, what) = match stop {
            Some(Stop::Waits) => (code.lines[warp.pc], format!("for {}", warp.waits_for(around))),
            Some(Stop::Named(number)) => {
                let (arrived, wanted) = around.engine.arrived(*number);
                let what = format!("at barrier {number}, where {arrived} of {wanted} threads have arrived");
                (code.lines[warp.pc - 1], what)
            }
            Some(Stop::Barrier) => (code.lines[warp.pc - 1], "for all of the block".to_owned()),
            _ => continue,
        };
        match waits.iter_mut().find(|(l, w, _)| (*l, w) == (line, &what)) {
            Some((.., who)) => who.push(i),
            None => waits.push((line, what, vec![i])),
        }
    }
    let ended = stops.iter().filter(|stop| **stop == Some(Stop::Done)).count();
    let each: Vec<String> = waits
        .iter()
        .map(|(line, what, who)| {
            let who: Vec<String> = who.iter().map(ToString::to_string).collect();
            let (warps, wait) = if who.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
            format!("{warps} {} {wait} {what} (line {line})", who.join(", "))
        })
        .collect();
    let Some((line, ..)) = waits.first() else { return };
    around.report(*line, FindingKind::Deadlock, |at, _| {
        format!(
            "no warp of workgroup {} can go on: {}; {ended} of {} have ended",
            at.workgroup,
            each.join("; "),
            warps.len()
        )
    });
}

/// Warps of a workgroup.
pub fn warps(size: [u32; 3], width: usize) -> usize {
    (size[0] as usize * size[1] as usize * size[2] as usize).div_ceil(width)
}
