//! `warpbook record`

use std::path::Path;
use std::process::ExitCode;

use super::args::RecordArgs;
use super::together::{Role, of_ranks};
use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::diag::Diagnostic;
use crate::base::{day, store};
use crate::lesson::PackFiles;
use crate::session::experiment::record;
use crate::session::experiment::recording::{self, Recording};
use crate::session::run::devices::Choice;
use crate::session::run::ranks_run::Together;

/// The ending of the file that has what is recorded so far.
const PARTIAL: &str = "partial";

/// How long a rank may say nothing before it is taken for lost, in seconds.
const PATIENCE_S: f64 = 60.0;

pub(super) fn record(context: &Context, args: &RecordArgs) -> Result<ExitCode, ExitCode> {
    let pack = context.pack()?;
    let mut choice = args.backend.named().map_or(Choice::Auto, Choice::Only);
    let wanted = record::experiments(&pack, &args.lessons, &args.experiments).map_err(out::misused)?;
    let mut together = None;
    if let Some(over) = args.over {
        let ranks = record::ranks(&context.devices, &wanted, choice).map_err(|found| {
            out::problems(&found);
            MISUSED
        })?;
        let backend = format!("--backend {:?}", args.backend);
        let said: Vec<String> = args.lessons.iter().chain(&args.experiments).cloned().chain([backend]).collect();
        match of_ranks(ranks, Some(over), &mut choice, (PATIENCE_S, &said))? {
            Role::Rank(rank) => together = Some(*rank),
            Role::Launcher(code) => return Ok(code),
            Role::Alone => {}
        }
    }
    let folder = match &context.files {
        PackFiles::Folder(folder) => folder.as_path(),
        PackFiles::Embedded | PackFiles::Memory(_) => Path::new("."),
    };
    let target = |recording: &Recording| {
        let path = args.output.clone().unwrap_or_else(|| record::default_path(recording, folder));
        if let Some(parent) = path.parent() {
            // Where it cannot be made, writing the file says why.
            let _ = std::fs::create_dir_all(parent);
        }
        path
    };
    let reports = together.as_ref().is_none_or(Together::reports);
    let mut keep = |recording: &Recording| {
        if !reports {
            return Ok(());
        }
        store::write_atomic(&target(recording).with_extension(PARTIAL), recording.to_text().as_bytes())
    };
    let (today, cancel) = (day::today(), &context.cancel);
    let mut say = |line: &str| {
        if reports {
            out::note(line)
        }
    };
    let (recording, found) =
        record::record(&context.devices, &wanted, (choice, together.as_mut()), today, cancel, &mut say, &mut keep)
            .map_err(out::misused)?;
    if let Some(together) = together {
        together.leave().map_err(out::misused)?;
    }
    if !reports {
        return Ok(if found.iter().any(Diagnostic::is_error) { FAILED } else { DONE });
    }
    if context.files != PackFiles::Embedded {
        out::note(
            "loops of a pack's own WGSL are guarded, which can cost most of its speed through the graphics driver; record without --pack to compare the built-in lessons",
        );
    }
    let path = target(&recording);
    let partial = path.with_extension(PARTIAL);
    let mut problems = found;
    let (recording, path) = match std::fs::read_to_string(&path) {
        Ok(text) if !args.lessons.is_empty() => {
            let earlier = recording::read(&recording.id, &path.display().to_string(), &text);
            match earlier.and_then(|earlier| record::joined(earlier, &recording, &pack)) {
                Ok(joined) => (joined, path),
                // The new measurement is kept, beside the file that was there.
                Err(problem) => {
                    problems.push(problem);
                    (recording, path.with_extension("new.ron"))
                }
            }
        }
        _ => (recording, path),
    };
    out::problems(&problems);
    store::write_atomic(&path, recording.to_text().as_bytes()).map_err(out::misused)?;
    // It was only there for a run that is stopped.
    let _ = std::fs::remove_file(partial);
    out::line(&path.display().to_string());
    Ok(if problems.iter().any(Diagnostic::is_error) { FAILED } else { DONE })
}
