//! `warpbook ledger` and `warpbook worklog`: what follows from the journal.

use std::process::ExitCode;
use std::sync::Arc;

use super::args::{LedgerArgs, LedgerFormat, ReviewArgs, WorklogArgs};
use super::{Context, DONE, out};
use crate::base::day;
use crate::base::diag::Diagnostic;
use crate::base::store;
use crate::lesson::Lesson;
use crate::session::learn::journal;
use crate::session::learn::ledger::concepts;
use crate::session::learn::reviews::Reviews;
use crate::session::learn::saved;
use crate::session::learn::story::Story;
use crate::session::learn::told;

pub(super) fn ledger(context: &Context, args: &LedgerArgs) -> Result<ExitCode, ExitCode> {
    let (lessons, story) = read(context)?;
    let concepts = concepts(&lessons, &story);
    let lines = if args.json || args.format == LedgerFormat::Json {
        let text = out::json_text(&told::Ledger::of(&lessons, &story, concepts, day::now())).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    } else {
        told::ledger(&lessons, &story, &concepts)
    };
    match &args.output {
        Some(file) => store::write_atomic(file, (lines.join("\n") + "\n").as_bytes()).map_err(out::misused)?,
        None => lines.iter().for_each(|line| out::line(line)),
    }
    Ok(DONE)
}

pub(super) fn review(context: &Context, args: &ReviewArgs) -> Result<ExitCode, ExitCode> {
    let (lessons, story) = read(context)?;
    let now = day::now();
    let reviews = Reviews::of(&lessons, &story, now);
    if args.json {
        out::json(&reviews);
    } else {
        reviews.lines(&lessons, now).iter().for_each(|line| out::line(line));
    }
    Ok(DONE)
}

pub(super) fn worklog(context: &Context, args: &WorklogArgs) -> Result<ExitCode, ExitCode> {
    let (lessons, story) = read(context)?;
    let last = story.days.keys().next_back();
    let Some(day) = args.day.as_ref().or(last) else {
        out::note("the journal has no day yet: it begins with the first thing that is done in the window");
        return Ok(DONE);
    };
    let Some(done) = story.days.get(day) else {
        let problem = Diagnostic::error(format!("the journal has no entry of {day}"));
        let hint = last.map_or_else(|| "it has none yet".to_owned(), |last| format!("its last day is {last}"));
        return Err(out::misused(problem.hint(hint)));
    };
    told::worklog(&lessons, day, done).iter().for_each(|line| out::line(line));
    Ok(DONE)
}

/// The pack's lessons, and what follows from the learner's journal, which is left unchanged. Without one, what the
/// state file holds.
fn read(context: &Context) -> Result<(Vec<Arc<Lesson>>, Story), ExitCode> {
    let pack = context.pack()?;
    let mut story = Story::default();
    let Some(state) = saved::default_path() else { return Ok((pack.lessons, story)) };
    let was_there = journal::read(&journal::path_beside(&state), &mut |line| story.take(line)).map_err(out::failed)?;
    if !was_there {
        match saved::read(&state) {
            Ok(kept) => journal::before(&kept.unwrap_or_default(), &pack).iter().for_each(|line| story.take(line)),
            Err(problem) => out::problems(&[problem]),
        }
    }
    Ok((pack.lessons, story))
}
