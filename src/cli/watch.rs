//! `warpbook trace --watch`: traces a file again each time that it is saved, and prints what changed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use super::args::TraceArgs;
use super::diff::changes;
use super::{Context, brief, out, target};
use crate::base::diag::Diagnostic;
use crate::base::parts;
use crate::session::run::compare::{self, Side};
use crate::session::run::python::file_of;
use crate::session::run::shader_file::Outcome;
use crate::trace::Trace;

/// Between two looks at the files.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn watch(context: &Context, args: &TraceArgs) -> Result<ExitCode, ExitCode> {
    let file = Path::new(file_of(&args.target));
    if !file.is_file() {
        let problem = Diagnostic::error(format!("--watch is for a file, and `{}` is none", args.target));
        return Err(out::misused(problem.hint("give the path of a .wgsl, .cu or .ptx file")));
    }
    let models = context.models();
    let chosen = target::device(&models, &args.setting)?;
    let mut last: Option<(Outcome, Trace)> = None;
    loop {
        let own = files(args, None);
        let began = stamps(&own);
        // Errors in the file went to standard error; the next save may correct them.
        if let Ok(outcome) = target::traced(context, &args.target, &args.setting.options())
            && let Some(trace) = outcome.trace()
        {
            let predicted = chosen.and_then(|chosen| outcome.predicted(&chosen));
            match &last {
                None => {
                    brief::lines(&args.target, &outcome, &trace, predicted.as_ref()).iter().for_each(|l| out::line(l));
                }
                Some(last) => show_changes(&args.target, last, (&outcome, &trace)),
            }
            last = Some((outcome, trace));
        }
        out::note(&format!("watching {}; press Ctrl-C to stop", args.target));
        let files = files(args, last.as_ref().map(|(outcome, _)| outcome));
        let before = stamps(&files);
        // A file that was saved during the trace is traced again.
        while stamps(&own) == began && stamps(&files) == before {
            std::thread::sleep(PAUSE);
        }
        // Editors write in several steps.
        std::thread::sleep(PAUSE);
    }
}

/// The files that a trace reads.
fn files(args: &TraceArgs, outcome: Option<&Outcome>) -> Vec<PathBuf> {
    let text = outcome.map(Outcome::text).unwrap_or_default();
    let parts = parts::parts(&text).into_iter().filter_map(|part| part.file.map(PathBuf::from));
    let given = args.setting.inputs.iter().map(|(_, file)| file.clone()).chain(args.setting.source.clone());
    std::iter::once(PathBuf::from(file_of(&args.target))).chain(parts).chain(given).collect()
}

/// The time at which each file was written, and its length; None if it cannot be read.
fn stamps(files: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |file: &PathBuf| {
        let about = file.metadata().ok()?;
        Some((about.modified().ok()?, about.len()))
    };
    files.iter().map(stamp).collect()
}

/// The figures and lines that changed, and findings that came and went.
fn show_changes(target: &str, before: &(Outcome, Trace), after: (&Outcome, &Trace)) {
    let texts = [before.0.text(), after.0.text()];
    let side = |text, outcome: &'_ Outcome, trace| (text, outcome.machine_code.clone(), trace);
    let sides = [side(&texts[0], &before.0, &before.1), side(&texts[1], after.0, after.1)];
    let sides = sides.each_ref().map(|(text, machine_code, trace)| Side {
        source: text,
        trace: Some(trace),
        machine_code: machine_code.as_ref(),
        time_s: None,
    });
    let mut figures = compare::figures(&sides[0], &sides[1]);
    figures.retain(|figure| figure.before != figure.after);
    let lines = compare::lines(&sides[0], &sides[1]);
    out::line(&format!("\n{target} was saved:"));
    changes(&figures, &lines, &[&texts[0], &texts[1]]);
    let messages = |trace: &Trace| trace.findings.iter().map(|f| (f.kind, f.message.clone())).collect::<Vec<_>>();
    let (old, new) = (messages(&before.1), messages(after.1));
    let gone = old.iter().filter(|finding| !new.contains(finding)).count();
    if gone > 0 {
        out::line(&format!("{gone} of {} findings are gone", old.len()));
    }
    let found = after.1.findings.iter().map(|finding| brief::finding_words(finding, after.0.file(target), &texts[1]));
    found.for_each(|finding| out::line(&finding));
    if new.is_empty() {
        out::line("nothing is wrong");
    }
}
