//! `warpbook check`

use std::path::PathBuf;
use std::process::ExitCode;

use super::{Context, DONE, MISUSED, out};
use crate::base::diag::Diagnostic;
use crate::lesson::PackFiles;
use crate::session::pack::check;

pub(super) fn check(context: &Context, pack: Option<PathBuf>, lessons: &[String]) -> Result<ExitCode, ExitCode> {
    let files = pack.map_or_else(|| context.files.clone(), PackFiles::Folder);
    let (pack, found) = check::check(&context.devices, &files, lessons, &context.cancel, &mut |id, problems| {
        out::note(&format!("{id}: {}", if problems.is_empty() { "ok" } else { "has problems" }));
    });
    out::problems(&found);
    let unseen = [check::twins_not_compiled(&context.devices, &pack), check::not_run(&context.devices, &pack)];
    unseen.into_iter().flatten().for_each(|warning| out::problems(&[files.named(warning)]));
    if found.iter().any(Diagnostic::is_error) {
        return Err(MISUSED.into());
    }
    let count = if lessons.is_empty() { pack.lessons.len() } else { lessons.len() };
    let plural = if count == 1 { "lesson" } else { "lessons" };
    out::line(&format!("{count} {plural}, no problems"));
    Ok(DONE)
}
