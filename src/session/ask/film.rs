//! The contents of a program's buffers after each launch.

use super::query::Of;
use super::run::{Plan, Ran, Watched};
use crate::base::diag::Diagnostic;
use crate::figures::{Reel, ReelBuffer, ReelPass, Rounds, ask};
use crate::job::{Content, Job, Node};
use crate::lesson::Program;
use crate::trace::Film;

/// The indices of buffers, by their names; names of no buffer are left out.
pub(super) fn places(job: &Job, names: &[String]) -> Vec<usize> {
    names.iter().filter_map(|name| job.buffers.iter().position(|buffer| buffer.name == *name)).collect()
}

/// Notes for each pass the repetitions that it is in.
fn number(body: &[Node], program: Option<&Program>, around: &mut Vec<Rounds>, into: &mut [Vec<Rounds>]) {
    for node in body {
        match node {
            Node::Pass(pass) => into[*pass].clone_from(around),
            Node::Repeat(repeat) => {
                let declared = program.and_then(|program| program.repeats().into_iter().find(|of| of.id == repeat.id));
                let turn = declared.map(|of| of.turn.clone()).unwrap_or_default();
                around.push(Rounds { turn, times: repeat.times });
                number(&repeat.body, program, around, into);
                around.pop();
            }
        }
    }
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
        let mut rounds = vec![Vec::new(); job.passes.len()];
        number(&job.body, program, &mut Vec::new(), &mut rounds);
        let passes = ran.done.record.passes.iter().zip(rounds).enumerate().map(|(place, (pass, rounds))| {
            let title = titles.get(place).map_or(&pass.id, |pass| &pass.title).clone();
            ReelPass { title, launches: pass.launches, rounds }
        });
        Ok(Reel { buffers: buffers.collect(), passes: passes.collect(), film })
    }
}
