//! The lessons as a site: `warpbook export --site`, and what happens where no window can open.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::{Context, DONE, FAILED, out};
use crate::base::diag::Diagnostic;
use crate::lesson::{Lesson, Pack};
use crate::notes::report::slug;
use crate::notes::site::{Chapter, Site};
use crate::session::experiment::recording::{Recording, RecordingChoice};
use crate::session::learn::saved::LessonSaved;
use crate::session::note::export::{self, Wanted};
use crate::session::note::only::Only;
use crate::session::note::{Pictures, site};
use crate::session::pack::quote::Quotes;
use crate::session::run;
use crate::session::run::devices::Choice;
use crate::trace::record::Backend;

/// Where a site goes if no folder is given.
pub(super) const FOLDER: &str = "site";

/// Writes a site of some lessons; of all if none is named.
pub(super) fn export(context: &Context, folder: &Path, address: &str, named: &[String]) -> Result<ExitCode, ExitCode> {
    let pack = context.pack()?;
    let lessons: Vec<&Arc<Lesson>> = match named {
        [] => pack.lessons.iter().collect(),
        some => some.iter().map(|id| run::lesson(&pack, id)).collect::<Result<_, _>>().map_err(out::misused)?,
    };
    let (start, problems) = write(context, &pack, &lessons, (folder, address))?;
    out::line(&start.display().to_string());
    Ok(if problems { FAILED } else { DONE })
}

/// Writes the site; its start page, and whether parts of it are missing, which are named.
fn write(
    context: &Context,
    pack: &Pack,
    lessons: &[&Arc<Lesson>],
    (folder, address): (&Path, &str),
) -> Result<(PathBuf, bool), ExitCode> {
    let site = Site::new(folder, address).map_err(out::misused)?;
    let models = context.models();
    let recordings: Arc<[Recording]> = context.recordings(pack).into();
    let quotes = Arc::new(context.quotes(pack, &recordings, &models));
    let start = Instant::now();
    let one = |lesson: &&Arc<Lesson>| -> Result<(Chapter, bool), ExitCode> {
        let wanted = wanted(lesson, (&recordings, &quotes), &models);
        let (report, problems) =
            export::run_and_report(&context.devices, wanted, &context.cancel, &mut |_| ()).map_err(out::misused)?;
        out::problems(&problems);
        let mut chapter = site::chapter(pack, lesson, report, &recordings);
        chapter.before.retain(|[id, _]| lessons.iter().any(|lesson| lesson.id == *id));
        site.write(&chapter).map_err(out::misused)?;
        let page = folder.join(slug(&chapter.id)).join("index.html");
        out::note(&format!("{} after {} s: {}", chapter.title, start.elapsed().as_secs(), page.display()));
        Ok((chapter, problems.iter().any(Diagnostic::is_error)))
    };
    // The first can be read soon, while the others are written side by side: by threads of their own, since a worker of the tracer's
    // pool must not wait for what another one prepares.
    let (first, rest) = lessons.split_at(1.min(lessons.len()));
    let mut written = first.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    // From now on it can be read; the other lessons join its start page at the end.
    site.begin(&written.iter().map(|(chapter, _)| chapter.clone()).collect::<Vec<_>>()).map_err(out::misused)?;
    let next = AtomicUsize::new(0);
    let work = || {
        let places = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let lessons = places.map_while(|place| Some((place, rest.get(place)?)));
        lessons.map(|(place, lesson)| Ok((place, one(lesson)?))).collect::<Result<Vec<_>, ExitCode>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let mut others = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let parts = all.into_iter().map(|thread| thread.join().unwrap_or_else(|why| std::panic::resume_unwind(why)));
        parts.collect::<Result<Vec<_>, ExitCode>>().map(|parts| parts.concat())
    })?;
    others.sort_by_key(|(place, _)| *place);
    written.extend(others.into_iter().map(|(_, written)| written));
    let lacks = written.iter().any(|(_, lacks)| *lacks);
    let chapters: Vec<Chapter> = written.into_iter().map(|(chapter, _)| chapter).collect();
    Ok((site.finish(&chapters).map_err(out::misused)?, lacks))
}

/// A lesson as nobody has read it yet.
fn wanted<'a>(
    lesson: &'a Arc<Lesson>,
    (recordings, quotes): (&Arc<[Recording]>, &Arc<Quotes>),
    models: &[crate::device::DeviceSpec],
) -> Wanted<'a> {
    Wanted {
        lesson,
        kept: LessonSaved::default(),
        only: Only::All,
        models: models.to_vec(),
        model: None,
        recordings: recordings.clone(),
        quotes: quotes.clone(),
        recording: RecordingChoice::Auto,
        backend: Choice::Only(Backend::Simt),
        measure: false,
        seed: 1,
        pictures: Pictures::OnSite,
        pins: None,
    }
}

pub(super) fn instead_of_window(why: &Diagnostic, context: &Context) -> Result<ExitCode, ExitCode> {
    // Before the way to read it is said, the folder is taken.
    if let Err(problem) = Site::new(Path::new(FOLDER), "") {
        return Err(out::misused(problem.hint("choose another folder: warpbook export --site DIR")));
    }
    let hint = why.hint.as_deref().map(|h| format!(" To get a window: {h}.")).unwrap_or_default();
    out::note(&format!(
        "No window can be opened here: {}.{hint} Instead, the lessons are written as a site to {FOLDER}/, traced on the \
         built-in tracer, which needs no GPU. `warpbook --help` lists what else works here.",
        why.message
    ));
    let pack = context.pack()?;
    let lessons: Vec<&Arc<Lesson>> = pack.lessons.iter().collect();
    let program = std::env::args().next().unwrap_or_else(|| "warpbook".to_owned());
    let read = format!("To read it in a browser, from its first lesson on: {program} serve {FOLDER}");
    out::note(&read);
    let (start, problems) = write(context, &pack, &lessons, (Path::new(FOLDER), ""))?;
    out::line(&read);
    out::line(&format!("Its first page is {}; opened as a file it shows still pictures.", start.display()));
    Ok(if problems { FAILED } else { DONE })
}
