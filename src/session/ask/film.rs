//! The contents of a program's buffers after each launch, for figures on the stage, in notes and on the start page.

use crate::base::diag::Diagnostic;
use crate::figures::{Reel, ReelBuffer};
use crate::job::{self, Job};
use crate::lesson::Program;
use crate::session::run::Done;

/// Runs the job and records the contents of these buffers.
///
/// # Errors
/// If there is no such buffer, or the job does not run.
pub fn read(
    mut job: Job,
    program: Option<&Program>,
    buffers: &[String],
    run: impl FnOnce(Job) -> Result<Done, Vec<Diagnostic>>,
) -> Result<Reel, Vec<Diagnostic>> {
    let missing = |name: &str| vec![Diagnostic::error(format!("there is no buffer `{name}`"))];
    let place = |name: &String| job.buffers.iter().position(|buffer| buffer.name == *name).ok_or_else(|| missing(name));
    let places = buffers.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
    job.film.clone_from(&places);
    let done = run(job)?;
    let film = done.record.film.ok_or_else(|| vec![Diagnostic::error("the program was run without its film")])?;
    let buffers = places.into_iter().map(|place| {
        let spec = &done.job.buffers[place];
        let declared = program.and_then(|program| program.buffers.iter().find(|buffer| buffer.name == spec.name));
        ReelBuffer {
            name: spec.name.clone(),
            count: spec.count,
            columns: spec.columns,
            is_text: matches!(spec.content, job::Content::Bytes(_)),
            means: declared.and_then(|buffer| buffer.means.clone()),
            legend: declared.map(|buffer| buffer.legend.clone()).unwrap_or_default(),
        }
    });
    let titles = program.map(Program::passes).unwrap_or_default();
    let passes = done.record.passes.iter().enumerate().map(|(place, pass)| {
        let title = titles.get(place).map_or(&pass.id, |pass| &pass.title);
        (title.clone(), pass.launches)
    });
    Ok(Reel { buffers: buffers.collect(), passes: passes.collect(), film })
}
