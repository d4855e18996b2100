//! The contents of a program's buffers after each launch.

use super::query::Of;
use super::run::{Plan, Ran, Watched};
use crate::base::diag::Diagnostic;
use crate::figures::{Reel, ReelBuffer, ask};
use crate::job::{Content, Job};
use crate::lesson::Program;
use crate::trace::Film;

/// The indices of buffers, by their names; names of no buffer are left out.
pub(super) fn places(job: &Job, names: &[String]) -> Vec<usize> {
    names.iter().filter_map(|name| job.buffers.iter().position(|buffer| buffer.name == *name)).collect()
}

impl Watched for ask::Film {
    fn watch(&self, _: &Of, plan: &mut Plan) {
        let ask::Film(buffers) = self;
        plan.film.clone_from(buffers);
    }

    fn read(&self, _: &Of, ran: &mut Ran<'_>) -> Result<Reel, Vec<Diagnostic>> {
        let film = ran.done.record.film.take().unwrap_or_else(|| Film::new(Vec::new()));
        let (job, program) = (&ran.done.job, ran.program());
        let buffers = job.film.iter().map(|place| {
            let spec = &job.buffers[*place];
            let declared = program.and_then(|program| program.buffers.iter().find(|buffer| buffer.name == spec.name));
            ReelBuffer {
                name: spec.name.clone(),
                count: spec.count,
                columns: spec.columns,
                is_text: matches!(spec.content, Content::Bytes(_)),
                means: declared.and_then(|buffer| buffer.means.clone()),
                legend: declared.map(|buffer| buffer.legend.clone()).unwrap_or_default(),
            }
        });
        let titles = program.map(Program::passes).unwrap_or_default();
        let passes = ran.done.record.passes.iter().enumerate().map(|(place, pass)| {
            let title = titles.get(place).map_or(&pass.id, |pass| &pass.title);
            (title.clone(), pass.launches)
        });
        Ok(Reel { buffers: buffers.collect(), passes: passes.collect(), film })
    }
}
