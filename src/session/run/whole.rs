//! The predicted time of a program: the sum of its passes' times, one launch after another.

use serde::Serialize;

use super::model::{self, Chosen, Modelled, Traced};
use crate::device::predict::Time;
use crate::device::{Bound, Launch, Point, Prediction, Term};
use crate::job::{Action, Job};
use crate::lesson::scope::{PREDICTED_TIME, Results};
use crate::trace::record::{Ceilings, Record};
use crate::trace::{CacheCounts, PassRecord, Trace};

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// Threads in a block of a copy or fill, each with 16 bytes.
const THREADS: u32 = 256;

/// The predicted time of a program, or of some of its passes.
#[derive(Clone, Debug, Serialize)]
pub struct Whole {
    pub device: Modelled,
    /// The time, the ends between which nine of ten such times lie, and its parts; left out if the device's caches are not known.
    #[serde(flatten)]
    pub point: Option<Point>,
    /// The sum of the low ends, in seconds.
    pub low_s: f64,
    /// The sum of the high ends, in seconds.
    pub high_s: f64,
    /// The bound of the pass with the largest high end.
    pub bound: Option<Bound>,
    /// The terms of all passes.
    pub terms: Vec<Term>,
    /// The passes that were launched, in the program's order.
    pub passes: Vec<PassTime>,
}

/// The predicted time of all launches of a pass.
#[derive(Clone, Debug, Serialize)]
pub struct PassTime {
    /// The pass, by its name in the program.
    pub id: String,
    /// How often it is launched.
    pub launches: u64,
    /// In seconds; null if the device's caches are not known.
    pub point_s: Option<f64>,
    /// The resource that bounds it.
    pub bound: Option<Bound>,
    /// The part of the time that is launches, in seconds; null like the time.
    pub launches_s: Option<f64>,
    /// The resource that bounds the rest.
    pub busy: Option<Bound>,
}

/// The predicted time of a traced program, or of the pass with the name `only`. `warm` means that its buffers may be in the caches at its
/// beginning.
///
/// # Errors
/// Why there is none, in words.
pub fn whole(
    (job, record): (&Job, &Record),
    only: Option<&str>,
    warm: bool,
    chosen: &Chosen<'_>,
) -> Result<Whole, String> {
    let mut all = Whole {
        device: Modelled::of(chosen),
        point: Some(Point { point_s: 0.0, likely_s: [0.0; 2], parts: Vec::new() }),
        low_s: 0.0,
        high_s: 0.0,
        bound: None,
        terms: Vec::new(),
        passes: Vec::new(),
    };
    let mut longest = 0.0;
    for (place, pass) in record.passes.iter().enumerate() {
        // Of an empty grid nothing is launched.
        let is_empty = pass.kernel.is_some() && pass.trace.as_ref().is_some_and(|trace| trace.warps == 0);
        if only.is_some_and(|only| only != pass.id) || pass.launches == 0 || is_empty {
            continue;
        }
        let (time, point) = of_pass((job, record), (place, pass), warm, chosen)?;
        let Time { low_s, high_s, bound, terms } = time;
        all.low_s += low_s;
        all.high_s += high_s;
        if high_s > longest {
            (longest, all.bound) = (high_s, Some(bound));
        }
        let part = |is: fn(Bound) -> bool| point.as_ref()?.parts.iter().find(|part| is(part.of));
        all.passes.push(PassTime {
            id: pass.id.clone(),
            launches: pass.launches,
            point_s: point.as_ref().map(|point| point.point_s),
            bound: part(|_| true).map(|part| part.of).or(Some(bound)),
            launches_s: point.as_ref().map(|_| part(|of| of == Bound::Launch).map_or(0.0, |launch| launch.seconds)),
            busy: part(|of| of != Bound::Launch).map(|part| part.of),
        });
        all.terms.extend(terms);
        all.point = all.point.zip(point).map(|(sum, point)| sum.then(point));
    }
    if all.passes.is_empty() { Err("nothing was launched".to_owned()) } else { Ok(all) }
}

/// Adds the predicted time of a traced program, and that of each of its passes, to the results of its run. Nothing is
/// added if the device's caches are not known.
pub fn insert(results: &mut Results, run: &str, traced: (&Job, &Record), chosen: &Chosen<'_>) {
    let Ok(whole) = whole(traced, None, false, chosen) else { return };
    let mut add = |run: &str, seconds: Option<f64>| {
        seconds.into_iter().for_each(|seconds| results.insert(run, PREDICTED_TIME.name, seconds));
    };
    add(run, whole.point.as_ref().map(|point| point.point_s));
    whole.passes.iter().for_each(|pass| add(&format!("{run}.{}", pass.id), pass.point_s));
}

fn of_pass(
    (job, record): (&Job, &Record),
    (place, pass): (usize, &PassRecord),
    warm: bool,
    chosen: &Chosen<'_>,
) -> Result<(Time, Option<Point>), String> {
    let moved = moved(job, place, pass.launches, chosen);
    let launch = model::launched(job, record, place);
    let traced = match (&moved, &launch) {
        (Some((launch, trace)), _) => Some(Traced {
            launch,
            trace,
            needs: Some(pass.work),
            launches: pass.launches,
            cached: true,
            is_alone: false,
        }),
        (None, Some(launch)) => Traced::of_pass(job, pass, place, launch),
        (None, None) => None,
    };
    let traced = traced.ok_or_else(|| format!("`{}` has no trace", pass.id))?;
    let traced = Traced { cached: warm || traced.cached, ..traced };
    let Prediction { time, point, missing, .. } = model::prediction(chosen, &traced, &Ceilings::default());
    let why = || missing.first().map_or_else(String::new, |why| why.sentence().to_owned());
    time.map(|time| (time, point)).ok_or_else(why)
}

/// A copy or a fill as the launch of a kernel that does the same, 16 bytes a thread, and its trace. None for a launch.
fn moved(job: &Job, place: usize, launches: u64, chosen: &Chosen<'_>) -> Option<(Launch, Trace)> {
    let (read, written) = match job.passes.get(place)?.action {
        Action::Launch(_) => return None,
        Action::Copy { from, to } => (Some(from), to),
        Action::Fill { buffer, .. } => (None, buffer),
    };
    let bytes = |buffer: usize| job.buffers.get(buffer).map_or(0, |buffer| buffer.bytes());
    let in_l2 = chosen.spec.figures.l2_bytes().unwrap_or(0) / 2;
    let sectors = |bytes: u64| bytes.div_ceil(SECTOR);
    let loads = sectors(read.map_or(0, bytes));
    let fetched = if SECTOR * loads > in_l2 { loads } else { 0 };
    let blocks = bytes(written).div_ceil(16 * u64::from(THREADS)).max(1);
    let caches = CacheCounts {
        l1_misses: launches * loads,
        l2_loads: launches * loads,
        l2_stores: launches * sectors(bytes(written)),
        l2_hits: launches * (loads - fetched),
        dram_loads: launches * fetched,
        dirty: sectors(bytes(written)),
        ..CacheCounts::default()
    };
    let launch = Launch {
        blocks,
        threads_per_block: THREADS,
        shared_bytes_per_block: 0,
        registers_per_thread: None,
        warp_lanes: 32,
    };
    let warps = launches * blocks * u64::from(THREADS / 32);
    Some((launch, Trace { warps, complete: true, caches: Some(caches), ..Trace::default() }))
}
