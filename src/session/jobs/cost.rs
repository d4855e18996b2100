//! The work of a program (operations, bytes), and settings at which it is small.

use crate::base::units::Work;
use crate::job::{Job, Node};
use crate::lesson::{Domain, Lesson, Variant};
use crate::session::jobs::{self, Params};
use crate::trace::record::Backend;

/// Operations or bytes that a quick launch needs at most, if its sizes can be so small.
pub const QUICK: f64 = 2e6;

/// Limit of operations, or bytes, of a launch on a CPU in place of a GPU: about a second of the tracer's time.
pub const STAND_IN: f64 = 3e8;

/// Whether a program is traced at some parameters. Kernels in CUDA C++ alone are made for a GPU's sizes: beyond those
/// that a CPU can do in place of one they are traced on the command line only.
#[must_use]
pub fn is_traced(lesson: &Lesson, variant: &Variant, params: &Params) -> bool {
    let is_for_gpus = || lesson.launched(variant).into_iter().flatten().any(|kernel| kernel.cuda_only().is_some());
    let is_small = || needed(lesson, variant, params).is_none_or(|work| work <= STAND_IN);
    lesson.runs_on(variant, Backend::Simt) && (!is_for_gpus() || is_small())
}

/// A program's work at some parameters, as the lesson counts it: operations or bytes, whichever are more. None if an
/// expression has no usable value.
#[must_use]
pub fn needed(lesson: &Lesson, variant: &Variant, params: &Params) -> Option<f64> {
    let work = whole(&jobs::sketch(lesson, variant, params)?);
    Some(work.bytes.max(work.flops))
}

/// Whether a job has more work than a CPU does in place of a GPU.
#[must_use]
pub fn is_large(job: &Job) -> bool {
    let work = whole(job);
    work.bytes.max(work.flops) > STAND_IN
}

/// The work that all launches of a job need at most.
#[must_use]
pub fn whole(job: &Job) -> Work {
    fn sum(job: &Job, body: &[Node]) -> Work {
        body.iter().fold(Work::default(), |all, node| {
            all + match node {
                Node::Pass(place) => job.passes[*place].work,
                Node::Repeat(repeat) => sum(job, &repeat.body).times(repeat.times),
            }
        })
    }
    job.work.unwrap_or_else(|| sum(job, &job.body))
}

/// Work of a launch that is traced for a prediction; of more, some workgroups stand for all.
const SAMPLED: f64 = 3e7;

/// The workgroups of each launch that are traced for a prediction.
#[must_use]
pub fn sample(job: &Job) -> u64 {
    let blocks: u64 =
        job.launches().map(|launch| launch.grid.most().iter().map(|n| u64::from(*n)).product()).max().unwrap_or(1);
    let work = whole(job);
    let share = SAMPLED / work.bytes.max(work.flops).max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the workgroups of a grid")]
    let most = (blocks as f64 * share) as u64;
    most.max(LEAST_SAMPLE)
}

/// Workgroups of a launch that are traced at least.
const LEAST_SAMPLE: u64 = 4;

/// The lesson's defaults, with sizes halved until the program's work is small: each time the size that saves most.
#[must_use]
pub fn quick(lesson: &Lesson, variant: &Variant) -> Params {
    let mut params = jobs::defaults(lesson);
    let work = |params: &Params| needed(lesson, variant, params).unwrap_or(0.0);
    while work(&params) > QUICK {
        let halved = lesson.params.iter().filter_map(|param| {
            let least = match &param.domain {
                Domain::Choice(_) => return None,
                Domain::PowersOfTwo { min, .. } | Domain::Range { min, .. } => *min,
            };
            let half = (params.get(&param.id)? / 2.0).floor().max(least);
            Some(jobs::with(&params, &[(param.id.clone(), half)]))
        });
        match halved.min_by(|a, b| work(a).total_cmp(&work(b))) {
            Some(less) if work(&less) < work(&params) => params = less,
            _ => break,
        }
    }
    params
}
