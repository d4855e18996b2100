//! The launches of one round of a program, in their order, with their predicted times.

use crate::figures::{LaunchTime, Launches};
use crate::job::{self, Job};
use crate::lesson::{Lesson, Program};
use crate::session::run::model::Chosen;
use crate::session::run::whole::whole;
use crate::trace::record::Record;

/// Launches that are listed at most.
const MOST: usize = 2000;

/// The launches of the longest repetition's first round; of a program that repeats nothing, all. None if the times are not known.
#[must_use]
pub fn launches(
    lesson: &Lesson,
    program: &Program,
    (job, record): (&Job, &Record),
    chosen: &Chosen<'_>,
) -> Option<Launches> {
    let whole = whole((job, record), None, false, chosen).ok()?;
    let passes = program.passes();
    let time = |place: usize| {
        let pass = job.passes.get(place)?;
        let known = whole.passes.iter().find(|known| known.id == pass.id)?;
        #[expect(clippy::cast_precision_loss, reason = "a count of launches")]
        let each = 1.0 / known.launches.max(1) as f64;
        let gap_s = known.launches_s? * each;
        let declared = passes.iter().find(|declared| declared.id == pass.id);
        let title = declared.map_or(pass.id.as_str(), |declared| declared.title.as_str());
        let kernel = pass.launch().and_then(|launch| lesson.kernel(&launch.kernel));
        Some(LaunchTime {
            pass: title.to_owned(),
            kernel: kernel.map_or(title, |kernel| kernel.title.as_str()).to_owned(),
            gap_s,
            busy_s: (known.point_s? * each - gap_s).max(0.0),
            bound: known.busy,
        })
    };
    let mut places = Vec::new();
    unroll(round(&job.body), &mut places);
    let launches: Vec<LaunchTime> = places.into_iter().filter_map(time).collect();
    let hosted_s = chosen.spec.figures.host_launch_s();
    (!launches.is_empty()).then(|| Launches { device: chosen.spec.short.clone(), launches, hosted_s })
}

/// A round of the repetition with the most launches, or the whole body.
fn round(body: &[job::Node]) -> &[job::Node] {
    let repeats = body.iter().filter_map(|node| match node {
        job::Node::Repeat(repeat) => Some(&repeat.body),
        job::Node::Pass(_) => None,
    });
    repeats.max_by_key(|body| count(body)).map_or(body, Vec::as_slice)
}

fn count(body: &[job::Node]) -> u64 {
    body.iter()
        .map(|node| match node {
            job::Node::Pass(_) => 1,
            job::Node::Repeat(repeat) => repeat.times.saturating_mul(count(&repeat.body)),
        })
        .fold(0, u64::saturating_add)
}

fn unroll(body: &[job::Node], places: &mut Vec<usize>) {
    for node in body {
        match node {
            _ if places.len() >= MOST => return,
            job::Node::Pass(place) => places.push(*place),
            job::Node::Repeat(repeat) => (0..repeat.times).for_each(|_| unroll(&repeat.body, places)),
        }
    }
}
