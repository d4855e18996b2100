//! The launches of one round of a program, in their order, with their predicted times.

use crate::figures::{LaunchTime, Launches};
use crate::job::Job;
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
    let launches: Vec<LaunchTime> = jobs::round::passes(job).into_iter().filter_map(time).collect();
    let hosted_s = chosen.spec.figures.host_launch_s();
    (!launches.is_empty()).then(|| Launches { device: chosen.spec.short.clone(), launches, hosted_s })
}
