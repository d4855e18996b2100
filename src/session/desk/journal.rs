//! The journal on the desk: lines are taken into the story at once, and written on the disk's thread.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::event::Event;
use super::keep::PATIENCE;
use super::status::Notice;
use super::tasks::FileTask;
use super::{Desk, RETRY};
use crate::base::diag::Diagnostic;
use crate::lesson::Block;
use crate::session::ask::At;
use crate::session::learn::edits::Edit;
use crate::session::learn::graded::{graded, kind};
use crate::session::learn::journal::{self, Did, Line};
use crate::session::learn::predict::{Answer, Guess};
use crate::session::learn::saved::{LessonSaved, Predicted};
use crate::session::learn::story::Story;

/// How long after the last key press words are entered in the journal.
pub const REST: Duration = Duration::from_secs(2);

/// Time on a step beyond these seconds is not taken for reading.
const LONGEST: i64 = 20 * 60;

/// Less time on a step than these seconds is not reading.
const SHORTEST: i64 = 5;

/// The journal's file, and how far it is written.
pub struct Journal {
    /// The clock: seconds since 1970.
    clock: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// The file; None writes nothing.
    path: Option<PathBuf>,
    /// Whether the file's lines are in the story.
    loaded: bool,
    /// Whether there was no file yet.
    fresh: bool,
    /// Lines that are not on the disk yet, the oldest first.
    waiting: Vec<Line>,
    /// Whether a write is under way.
    writing: bool,
    /// When a write failed last.
    failed: Option<Instant>,
    /// Words that are being written: lesson, step, and when a key was pressed last.
    words: Option<(String, String, Instant)>,
    /// Since when the step on the screen is read, in seconds since 1970.
    since: Option<i64>,
    /// Measurements whose predicted times are entered: the program at its settings, and the pass.
    timed: HashSet<(At, String)>,
}

impl Journal {
    /// The journal beside a state file.
    pub(super) fn beside(state: Option<&PathBuf>, clock: Arc<dyn Fn() -> i64 + Send + Sync>) -> Self {
        Self {
            clock,
            path: state.map(|state| journal::path_beside(state)),
            loaded: state.is_none(),
            fresh: false,
            waiting: Vec::new(),
            writing: false,
            failed: None,
            words: None,
            since: None,
            timed: HashSet::new(),
        }
    }

    /// The time now, in seconds since 1970.
    pub(super) fn now(&self) -> i64 {
        (self.clock)()
    }

    /// Its file.
    pub(super) fn path(&self) -> Option<&PathBuf> {
        self.path.as_ref()
    }

    /// Whether lines are about to be written, and nothing is in their way.
    pub(super) fn is_busy(&self) -> bool {
        self.path.is_some() && (!self.loaded || self.writing || (!self.waiting.is_empty() && self.failed.is_none()))
    }
}

impl Desk {
    /// The time now, in seconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.journal.now()
    }

    /// Enters something that was done on the step on the screen.
    pub(super) fn record(&mut self, did: Did) {
        let place = &self.state.place;
        let lesson = place.lesson.as_ref().map(|lesson| lesson.id.clone()).unwrap_or_default();
        let step = place.step().map(|step| step.id.clone()).unwrap_or_default();
        self.record_on(lesson, step, did);
    }

    /// Enters something that was done on a step.
    pub(super) fn record_on(&mut self, lesson: String, step: String, did: Did) {
        let line = Line { time: Some(self.now()), lesson, step, did };
        self.enter(line);
    }

    fn enter(&mut self, line: Line) {
        self.state.diary.story.take(&line);
        self.state.diary.counted = None;
        if self.journal.path.is_some() {
            self.journal.waiting.push(line);
        }
    }

    /// Orders the waiting lines' write, and enters words that have rested.
    pub(super) fn write_journal(&mut self) {
        self.state.diary.now = self.now();
        self.state.diary.count_due(&self.state.library.pack.lessons);
        if self.journal.words.as_ref().is_some_and(|(.., at)| at.elapsed() >= REST) {
            self.enter_words();
        }
        let journal = &mut self.journal;
        let is_due = journal.failed.is_none_or(|at| at.elapsed() >= RETRY);
        if let Some(path) = journal.path.clone().filter(|_| is_due && !journal.writing && !journal.waiting.is_empty()) {
            journal.writing = self.threads.disk.enqueue(FileTask::Append(path, journal.waiting.clone()));
        }
    }

    /// Takes the story that was read from the file; lines that were entered meanwhile are added.
    pub(super) fn take_story(&mut self, read: Result<(bool, Box<Story>), Diagnostic>) {
        self.journal.loaded = true;
        (self.state.diary.is_loaded, self.state.diary.counted) = (true, None);
        match read {
            Ok((was_there, story)) => {
                self.journal.fresh = !was_there;
                self.state.diary.story = *story;
                let Self { state, journal, .. } = self;
                journal.waiting.iter().for_each(|line| state.diary.story.take(line));
                if was_there {
                    self.enter_lost_words();
                }
            }
            Err(problem) => {
                self.journal.path = None;
                self.state.status.notices.push(Notice::Problem(problem));
            }
        }
    }

    /// Enters words that the state file has and the journal lacks: a window was killed before they had rested.
    fn enter_lost_words(&mut self) {
        let of_lesson = |(lesson, kept): (&String, &LessonSaved)| {
            let lesson = lesson.clone();
            let words = kept.words.clone().into_iter();
            words.map(move |(step, words)| ((lesson.clone(), step), words)).collect::<Vec<_>>()
        };
        let known = &self.state.diary.story.words;
        let is_lost =
            |(place, words): &((String, String), String)| known.get(place) != Some(words) && !words.trim().is_empty();
        let lost: Vec<_> = self.state.saved.lessons.iter().flat_map(of_lesson).filter(is_lost).collect();
        for ((lesson, step), words) in lost {
            self.record_on(lesson, step, Did::Wrote { words });
        }
    }

    /// Enters what the state file holds of the time before there was a journal.
    pub(super) fn enter_before(&mut self) {
        if std::mem::take(&mut self.journal.fresh) {
            let lines = journal::before(&self.state.saved, &self.state.library.pack);
            lines.into_iter().for_each(|line| self.enter(line));
        }
    }

    /// Takes the result of a write: how many lines are on the disk.
    pub(super) fn take_appended(&mut self, written: usize, problem: Option<Diagnostic>) {
        let journal = &mut self.journal;
        journal.writing = false;
        journal.waiting.drain(..written.min(journal.waiting.len()));
        // The same problem is said once, until a write succeeds.
        let is_new = journal.failed.is_none();
        journal.failed = problem.as_ref().map(|_| Instant::now());
        self.state.status.notices.extend(problem.filter(|_| is_new).map(Notice::Problem));
    }

    /// Keeps the learner's words on a step.
    pub(super) fn write_words(&mut self, step: String, words: String) {
        self.writes(&step);
        self.keep(|kept| {
            kept.words.insert(step, words);
        });
    }

    /// Notes that words are being written on a step.
    fn writes(&mut self, step: &str) {
        let lesson = self.state.place.lesson.as_ref().map(|lesson| lesson.id.clone()).unwrap_or_default();
        if self.journal.words.as_ref().is_some_and(|(of, on, _)| (of, on.as_str()) != (&lesson, step)) {
            self.enter_words();
        }
        self.journal.words = Some((lesson, step.to_owned(), Instant::now()));
        self.state.diary.is_writing = true;
    }

    /// Enters the words that were being written.
    pub(super) fn enter_words(&mut self) {
        self.state.diary.is_writing = false;
        let Some((lesson, step, _)) = self.journal.words.take() else { return };
        let words = self.state.saved.lessons.get(&lesson).and_then(|kept| kept.words.get(&step)).cloned();
        let before = self.state.diary.story.words.get(&(lesson.clone(), step.clone()));
        if let Some(words) = words.filter(|words| before != Some(words)) {
            self.record_on(lesson, step, Did::Wrote { words });
        }
    }

    /// Notes that a step was read to its end.
    pub(super) fn has_read(&mut self, step: String) {
        if !self.state.kept().seen.contains(&step) {
            self.keep(|kept| kept.seen.push(step));
            self.reads(true, true);
        }
    }

    /// Begins to count the time on the step on the screen, or enters it and ends; with `seen`, however short it was.
    pub(super) fn reads(&mut self, goes_on: bool, seen: bool) {
        let now = self.now();
        let step = self.state.place.step().map(|step| step.id.clone()).unwrap_or_default();
        if let Some(since) = self.journal.since.take() {
            let seconds = now.saturating_sub(since).clamp(0, LONGEST);
            let was_seen = self.state.kept().seen.contains(&step);
            if seen || (was_seen && seconds >= SHORTEST) {
                self.record(Did::Read { seconds: seconds.unsigned_abs() });
            }
        }
        self.journal.since = goes_on.then_some(now);
        self.state.diary.is_reading = goes_on;
    }

    /// Enters a prediction's answer.
    pub(super) fn record_predicted(&mut self, lesson: &str, id: &str, guess: &Guess, answer: &Answer) {
        let Some(of) = self.state.library.pack.lessons.iter().find(|of| of.id == lesson).cloned() else { return };
        let Some(asked) = of.predictions.iter().find(|asked| asked.id == id) else { return };
        let grade = graded(&asked.asks, guess, answer);
        let step = of.step_with(&Block::Predict(id.to_owned())).map(|step| step.id.clone()).unwrap_or_default();
        let kept = self.state.saved.lessons.get(lesson);
        let did = Did::Predicted {
            id: id.to_owned(),
            kind: kind(&asked.asks).to_owned(),
            params: kept.and_then(|kept| kept.moved.get(&step)).cloned().unwrap_or_default(),
            guess: guess.clone(),
            answer: answer.deciding(),
            right: grade.right,
            off: grade.off,
        };
        if grade.right.is_some()
            && let Some(kept) = self.state.saved.lessons.get_mut(lesson)
        {
            let first = || Predicted { guess: guess.clone(), answer: Some(answer.clone()) };
            kept.first.entry(id.to_owned()).or_insert_with(first);
            self.unsaved();
        }
        self.record_on(lesson.to_owned(), step, did);
    }

    /// Enters the version in the editor once it and its original are traced.
    pub(super) fn record_changed(&mut self) {
        let Some(edit) = self.state.edited().filter(|edit| self.state.place.bench.variant == edit.variant()) else {
            return;
        };
        let Some(began) = self.state.place.bench.beside.first() else { return };
        let (Some(before), Some(after)) = (self.state.found.traced(&began.program), self.state.traced()) else {
            return;
        };
        let pass = self.state.place.pass();
        let figures = super::state::compared(&before.record, &after.record, pass);
        let figures = figures.into_iter().filter(|figure| figure.before != figure.after);
        let figures = figures.map(|figure| (figure.name.to_owned(), [figure.before, figure.after])).collect();
        let from = self.original(&edit);
        let (from, to) = (journal::hash(&from), journal::hash(&edit.source));
        // A version that is traced again, such as after a restart, is no change.
        let lesson = self.state.place.lesson.as_ref().map(|lesson| lesson.id.clone()).unwrap_or_default();
        if from == to || self.state.diary.story.versions.get(&(lesson, edit.name.clone())) == Some(&to) {
            return;
        }
        let wrong = self.state.traced().is_some_and(|traced| traced.wrong.is_some());
        self.record(Did::Changed { kernel: edit.name, from, to, figures, wrong });
    }

    /// Enters the predicted time of the pass on the stage beside the measured one, once both are there.
    pub(super) fn record_timed(&mut self) {
        let state = &self.state;
        let (program, pass) = (&state.place.bench.variant.program, &state.place.stage.pass);
        let (Some(at), Some(device)) = (state.found.now.timed(program), state.acting_device()) else { return };
        let key = (at.clone(), pass.clone());
        if self.journal.timed.contains(&key) {
            return;
        }
        let Some(measured_s) = state.measured_s() else { return };
        let Some(predicted) = state.predicted() else { return };
        let Some((point, error)) = predicted.point.zip(predicted.error) else { return };
        let (program, pass) = (program.clone(), pass.clone());
        let (predicted_s, likely) = (point.point_s, error.likely == Some(true));
        self.journal.timed.insert(key);
        self.record(Did::Timed { program, pass, device: device.name, predicted_s, measured_s, likely });
    }

    /// The text that a version began as.
    fn original(&self, edit: &Edit) -> String {
        let lesson = self.state.place.plain.as_ref();
        if let Some(exercise) = lesson.and_then(|lesson| lesson.exercises.iter().find(|e| e.yours() == edit.id)) {
            return exercise.starter.to_string();
        }
        let kernel = lesson.and_then(|lesson| {
            let pass = lesson.program(&edit.of.program)?.pass(&edit.pass)?;
            lesson.kernel(pass.kernel(&edit.of)?)
        });
        kernel.and_then(|kernel| kernel.source_in(edit.language)).map(ToString::to_string).unwrap_or_default()
    }

    /// Enters what is left, and writes it.
    pub(super) fn end_journal(&mut self) {
        self.enter_words();
        self.reads(false, false);
        while self.journal.writing {
            match self.events.recv_timeout(PATIENCE) {
                Ok(Event::Appended(written, problem)) => self.take_appended(written, problem),
                Ok(Event::Saved(change, outcome)) => self.take_saved(change, outcome),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let journal = &mut self.journal;
        if let Some(path) = journal.path.clone().filter(|_| !journal.waiting.is_empty()) {
            journal.writing = self.threads.disk.enqueue(FileTask::Append(path, journal.waiting.clone()));
        }
    }

    /// After the last write: lines that could not be written are kept in the system's temporary folder.
    ///
    /// # Errors
    /// When some could not be written where they belong: where they are now.
    pub(super) fn keep_journal(&self) -> Result<(), Diagnostic> {
        let (waiting, Some(path)) = (&self.journal.waiting, &self.journal.path) else { return Ok(()) };
        if waiting.is_empty() {
            return Ok(());
        }
        let message = format!("what you did last is not in {}", path.display());
        let named = tempfile::Builder::new().prefix("warpbook-").suffix(".jsonl").tempfile();
        let kept = named.and_then(|file| Ok(file.keep()?.1)).map_err(|error| error.to_string());
        let kept = kept.and_then(|kept| journal::append(&kept, waiting).map(|()| kept).map_err(|(_, why)| why.message));
        Err(match kept {
            Ok(kept) => Diagnostic::error(message)
                .hint(format!("nothing is lost: add the lines of {} at its end", kept.display())),
            Err(why) => Diagnostic::error(format!("{message}, and no copy can be kept: {why}")),
        })
    }
}
