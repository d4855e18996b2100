//! `warpbook export`, and what happens where no window can open.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use super::args::ExportArgs;
use super::{Context, DONE, FAILED, out, site};
use crate::base::day;
use crate::base::diag::Diagnostic;
use crate::lesson::{Lesson, Pack, PackFiles};
use crate::notes::{self, Format, To};
use crate::session::experiment::curves;
use crate::session::experiment::recording::Recording;
use crate::session::learn::pins;
use crate::session::learn::saved::{self, LessonSaved, Saved};
use crate::session::note::Pictures;
use crate::session::note::export::Wanted;
use crate::session::note::only::Only;
use crate::session::note::{export, index};
use crate::session::pack::my_kernel;
use crate::session::run::devices::Choice;
use crate::session::{self, run};

pub(super) fn export(context: &Context, args: &ExportArgs) -> Result<ExitCode, ExitCode> {
    if let Some(folder) = &args.site {
        return site::export(context, folder, &args.address, &args.lessons);
    }
    let measure = args.measure || args.again;
    let how = How { backend: args.backend.choice(), seed: args.seed, measure, again: args.again, still: args.still };
    let mut pack = context.pack()?;
    if args.lessons.iter().any(|id| run::lesson(&pack, id).is_err()) {
        pack.lessons.extend(own_kernels());
    }
    let lessons: Vec<String> = match args.lessons.as_slice() {
        [] => pack.lessons.iter().map(|l| l.id.clone()).collect(),
        some => some
            .iter()
            .map(|id| Ok(run::lesson(&pack, id)?.id.clone()))
            .collect::<Result<_, _>>()
            .map_err(out::misused)?,
    };
    let formats = args.reader.map_or_else(|| args.format.clone(), |reader| vec![reader]);
    let to = To { folder: args.output.clone(), assets: args.assets.clone() };
    let written = write(context, &pack, &lessons, (how, &args.only), &formats, &to)?;
    written.files.iter().for_each(|file| out::line(&file.display().to_string()));
    Ok(written.code)
}

/// The learner's own kernels, as the window keeps them.
fn own_kernels() -> Vec<Arc<Lesson>> {
    let folder = saved::default_path().as_deref().and_then(my_kernel::folder).filter(|folder| folder.is_dir());
    folder.map(|folder| session::load(&PackFiles::Folder(folder)).0.lessons).unwrap_or_default()
}

/// A lesson whose note was written, the learner's state of it, and the files by format.
type Noted = (Arc<Lesson>, LessonSaved, Vec<(Format, PathBuf)>);

/// The files written, and the exit code.
struct Outcome {
    files: Vec<PathBuf>,
    code: ExitCode,
}

/// How experiments are run.
#[derive(Clone, Copy)]
struct How {
    backend: Choice,
    seed: u64,
    /// Whether experiments are measured.
    measure: bool,
    /// Whether those are measured, too, that the window has measured on this device.
    again: bool,
    /// Whether all pictures are still.
    still: bool,
}

/// Runs the experiments of some lessons and writes their notes.
fn write(
    context: &Context,
    pack: &Pack,
    lessons: &[String],
    (how, only): (How, &[String]),
    formats: &[Format],
    to: &To,
) -> Result<Outcome, ExitCode> {
    // Experiments take a while: what cannot be written afterwards is reported before.
    if to.folder.exists() && !to.folder.is_dir() {
        let problem = Diagnostic::error(format!("{} is no folder", to.folder.display()));
        return Err(out::misused(problem.hint("give a folder with -o; one that is not there is made")));
    }
    let lessons: Vec<(&Arc<Lesson>, Only)> = lessons
        .iter()
        .map(|id| run::lesson(pack, id).and_then(|lesson| Ok((lesson, Only::of(only, lesson)?))))
        .collect::<Result<_, _>>()
        .map_err(out::misused)?;
    // The learner's saved work is read and left unchanged, whatever state it is in.
    let kept = match saved::default_path().map(|path| saved::read(&path)) {
        Some(Ok(kept)) => kept.unwrap_or_default(),
        Some(Err(problem)) => {
            out::problems(&[problem]);
            Saved::default()
        }
        None => Saved::default(),
    };
    let models = context.models();
    let recordings = context.recordings(pack);
    let quotes = Arc::new(context.quotes(pack, &recordings, &models));
    // As in the window, the learner's own curves are beside the pack's.
    let own = saved::default_path().and_then(|path| curves::folder(&path)).filter(|_| !how.again);
    let own = own.map(|folder| curves::load(&folder, pack)).unwrap_or_default();
    let recordings: Arc<[Recording]> = recordings.into_iter().chain(own).collect();
    let mut written = Outcome { files: Vec::new(), code: DONE };
    let start = Instant::now();
    let count = lessons.len();
    let mut noted: Vec<Noted> = Vec::new();
    for (done, (lesson, only)) in lessons.into_iter().enumerate() {
        if count > 1 {
            let passed = start.elapsed().as_secs();
            out::note(&format!("lesson {} of {count}, after {passed} s", done + 1));
        }
        let mut of_lesson = kept.lessons.get(&lesson.id).cloned().unwrap_or_default();
        of_lesson.adopt(lesson);
        let wanted = Wanted {
            lesson,
            kept: of_lesson.clone(),
            only,
            models: models.clone(),
            model: kept.model.clone(),
            recordings: recordings.clone(),
            quotes: quotes.clone(),
            recording: kept.recording.clone(),
            backend: how.backend,
            measure: how.measure,
            pictures: if how.still { Pictures::Still } else { Pictures::Playing },
            pins: saved::default_path().and_then(|path| pins::folder(&path)),
            seed: how.seed,
        };
        let (report, problems) =
            export::run_and_report(&context.devices, wanted, &context.cancel, &mut out::note).map_err(out::misused)?;
        out::problems(&problems);
        if problems.iter().any(Diagnostic::is_error) {
            written.code = FAILED;
        }
        let note = notes::write(&report, formats, to).map_err(out::misused)?;
        out::problems(&note.messages);
        written.files.extend(note.files);
        noted.push((lesson.clone(), of_lesson, note.notes));
    }
    if count > 1 {
        written.files.extend(write_index(&noted, formats, to)?);
    }
    Ok(written)
}

/// Writes the index of the notes in each format that has one, and gives its files.
fn write_index(noted: &[Noted], formats: &[Format], to: &To) -> Result<Vec<PathBuf>, ExitCode> {
    let mut files = Vec::new();
    for format in formats.iter().filter(|format| format.has_index()) {
        let notes = noted.iter().filter_map(|(lesson, kept, notes)| {
            let (_, path) = notes.iter().find(|(of, _)| of == format)?;
            Some((&**lesson, kept, path.clone()))
        });
        let report = index::report(&notes.collect::<Vec<_>>(), &to.folder, &day::today());
        let index = notes::write(&report, &[*format], to).map_err(out::misused)?;
        out::problems(&index.messages);
        files.extend(index.files);
    }
    Ok(files)
}
