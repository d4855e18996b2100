//! The launches of one round of a program, in their order, with their predicted times.

use std::sync::Arc;

use crate::figures::{LaunchTime, Launches};
use crate::job::{self, Job};
use crate::lesson::{Lesson, Program};
use crate::session::jobs;
use crate::session::run::model::Chosen;
use crate::session::run::whole::whole;
use crate::trace::record::Record;

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
    let time = |pass: &job::Pass| {
        let known = whole.passes.iter().find(|known| known.id == pass.id)?;
        #[expect(clippy::cast_precision_loss, reason = "a count of launches")]
        let each = 1.0 / known.launches.max(1) as f64;
        let gap_s = known.launches_s? * each;
        let declared = passes.iter().find(|declared| declared.id == pass.id);
        let title: Arc<str> = declared.map_or(pass.id.as_str(), |declared| declared.title.as_str()).into();
        let kernel = pass.launch().and_then(|launch| lesson.kernel(&launch.kernel));
        let kernel = kernel.map_or_else(|| title.clone(), |kernel| kernel.title.as_str().into());
        let busy_s = (known.point_s? * each - gap_s).max(0.0);
        Some(LaunchTime { pass: title, kernel, gap_s, busy_s, bound: known.busy })
    };
    let times: Vec<Option<LaunchTime>> = job.passes.iter().map(time).collect();
    let launches: Vec<LaunchTime> =
        jobs::round::passes(job).into_iter().filter_map(|place| times.get(place)?.clone()).collect();
    let hosted_s = chosen.spec.figures.host_launch_s();
    (!launches.is_empty()).then(|| Launches { device: chosen.spec.short.clone(), launches, hosted_s })
}
