//! Saving the learner's state: writes it to disk, and merges what another window wrote.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::Desk;
use super::event::Event;
use super::status::{Notice, SaveState};
use super::tasks::FileTask;
use crate::base::diag::Diagnostic;
use crate::session::experiment::curves;
use crate::session::learn::merge::merge;
use crate::session::learn::pins;
use crate::session::learn::saved::{self, LessonSaved, Written};
use crate::session::pack::my_kernel;

/// Delay before a failed write is tried again.
pub const RETRY: Duration = Duration::from_secs(5);

/// How long a closing window waits for a write.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Where the learner's work is saved, and how far that is.
pub struct Keeper {
    /// The file; None saves nothing.
    path: Option<PathBuf>,
    /// Counts changes, so that an older write is not taken for the newest.
    changes: u64,
    /// The state in the file, as far as this window knows.
    base: saved::Saved,
    /// Whether a write is under way.
    writing: bool,
    /// When a write failed last.
    failed: Option<Instant>,
}

impl Keeper {
    /// A keeper of a file that has this state.
    pub(super) fn of(path: Option<PathBuf>, saved: &saved::Saved) -> Self {
        Self { path, changes: 0, base: saved.clone(), writing: false, failed: None }
    }

    /// The folder of the learner's own kernels.
    pub(super) fn kernels(&self) -> Option<PathBuf> {
        self.path.as_deref().and_then(my_kernel::folder)
    }

    /// The folder of pinned pictures.
    pub(super) fn pins(&self) -> Option<PathBuf> {
        self.path.as_deref().and_then(pins::folder)
    }

    /// The folder of the learner's own curves.
    pub(super) fn curves(&self) -> Option<PathBuf> {
        self.path.as_deref().and_then(curves::folder)
    }
}

impl Desk {
    /// Changes the saved state of the lesson on the screen.
    pub(super) fn keep(&mut self, change: impl FnOnce(&mut LessonSaved)) {
        if let Some(lesson) = &self.state.place.lesson {
            change(self.state.saved.lessons.entry(lesson.id.clone()).or_default());
            self.unsaved();
        }
    }

    /// Records that the saved state has changed.
    pub(super) fn unsaved(&mut self) {
        self.keeper.changes += 1;
        self.state.status.save = if self.keeper.path.is_some() { SaveState::Unsaved } else { SaveState::Nowhere };
    }

    /// Orders a write if there is something unsaved, or if the last one failed some time ago.
    pub(super) fn write_unsaved(&mut self) {
        let due = match self.state.status.save {
            SaveState::Unsaved => true,
            SaveState::Failed(_) => self.keeper.failed.is_none_or(|at| at.elapsed() >= RETRY),
            SaveState::Saved | SaveState::Saving | SaveState::Nowhere => false,
        };
        if due && !self.keeper.writing {
            self.write();
        }
    }

    /// Orders a write of the current saved state.
    fn write(&mut self) {
        let Some(path) = self.keeper.path.clone() else { return };
        let states = Box::new([self.keeper.base.clone(), self.state.saved.clone()]);
        self.keeper.writing = self.threads.disk.enqueue(FileTask::Save(path, states, self.keeper.changes));
        self.state.status.save = if self.keeper.writing { SaveState::Saving } else { SaveState::Nowhere };
    }

    /// Writes unsaved changes, and waits for that; if that fails, writes to the system's temporary folder.
    ///
    /// # Errors
    /// When it could not be written where it belongs: why, and where a copy of it is kept.
    pub(super) fn write_last(&mut self) -> Result<(), Diagnostic> {
        // A write needs the file's contents that the one before it found.
        while self.keeper.writing {
            match self.events.recv_timeout(PATIENCE) {
                Ok(Event::Saved(change, outcome)) => self.take_saved(change, outcome),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if !matches!(self.state.status.save, SaveState::Saved) {
            self.write();
        }
        self.threads.disk.finish();
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Saved(change, outcome) => self.take_saved(change, outcome),
                Event::Appended(written, problem) => self.take_appended(written, problem),
                _ => {}
            }
        }
        let Some(why) = self.state.status.unsaved.take().filter(|_| self.keeper.changes > 0) else { return Ok(()) };
        let message = format!("what you did last is not saved: {}", why.message);
        Err(match saved::save_elsewhere(&self.state.saved) {
            Ok(path) => {
                Diagnostic::error(message).hint(format!("nothing is lost: a copy is kept as {}", path.display()))
            }
            Err(problem) => Diagnostic::error(format!("{message}; {}", problem.message)),
        })
    }

    /// Takes the result of a write.
    pub(super) fn take_saved(&mut self, change: u64, outcome: Result<Box<Written>, Diagnostic>) {
        self.keeper.writing = false;
        let save = match outcome {
            Ok(written) => {
                self.state.status.unsaved = None;
                self.take_written(*written);
                SaveState::Saved
            }
            Err(problem) => {
                self.keeper.failed = Some(Instant::now());
                self.state.status.unsaved = Some(problem.clone());
                SaveState::Failed(problem)
            }
        };
        // A newer change may have come while this one was written: then it is still unsaved.
        self.state.status.save = if change == self.keeper.changes { save } else { SaveState::Unsaved };
    }

    /// Merges what another window wrote.
    fn take_written(&mut self, written: Written) {
        let (before, backend) = (self.state.kept().clone(), self.state.choice());
        self.state.status.notices.extend(written.notes.into_iter().map(Notice::Problem));
        self.state.saved = merge(&written.sent, &self.state.saved, &written.merged).0;
        self.keeper.base = written.merged;
        if self.state.choice() != backend {
            self.set_backend(self.state.choice());
        }
        let kept = self.state.kept();
        if kept.edits != before.edits || kept.exercises != before.exercises {
            self.take_edits();
        }
    }
}
