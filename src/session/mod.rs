//! The use-cases, each a function of its inputs; the one place that puts the other modules together.
//!
//! The command line calls a use-case and waits. The window sends a [`desk::Command`] to a [`desk::Desk`],
//! which runs the same use-cases on its own threads and hands back events.

pub mod ask;
pub mod desk;
pub mod experiment;
pub mod jobs;
pub mod learn;
pub mod note;
pub mod pack;
pub mod run;
pub mod show;

use crate::base::diag::Diagnostic;
use crate::lesson::{Pack, PackFiles};

/// Reads a pack; returns the valid lessons and all problems.
#[must_use]
pub fn load(files: &PackFiles) -> (Pack, Vec<Diagnostic>) {
    if let PackFiles::Folder(folder) = files
        && !folder.is_dir()
    {
        let problem = Diagnostic::error(format!("{} is no folder", folder.display())).hint(
            "a pack is a folder with lessons/, shaders/ and assets/: `warpbook new NAME --pack FOLDER` starts one",
        );
        return (Pack::default(), vec![problem]);
    }
    let (pack, mut problems) =
        crate::lesson::load(files, &crate::reference::signatures(), &crate::figures::explore::names());
    let steps = pack.lessons.iter().flat_map(|lesson| lesson.steps.iter().map(move |step| (lesson, step)));
    problems.extend(steps.flat_map(|(lesson, step)| crate::figures::judge(lesson, step, None)));
    let programs = pack.lessons.iter().flat_map(|lesson| lesson.programs.iter().map(move |program| (lesson, program)));
    problems.extend(programs.flat_map(|(lesson, program)| crate::figures::judge_meanings(lesson, program)));
    (pack, problems)
}

/// The version of the program and the commit it was built from, as notes give it.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("WARPBOOK_COMMIT"), ")");
