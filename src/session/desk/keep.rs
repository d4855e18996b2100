//! Saving the learner's state: writes it to disk, and merges what another window wrote.

use std::time::{Duration, Instant};

use super::Desk;
use super::event::Event;
use super::state::{Notice, SaveState};
use super::threads::FileTask;
use crate::base::diag::Diagnostic;
use crate::session::learn::merge::merge;
use crate::session::learn::saved::{self, LessonSaved, Written};

/// Delay before a failed write is tried again.
pub const RETRY: Duration = Duration::from_secs(5);

/// How long a closing window waits for a write.
const PATIENCE: Duration = Duration::from_secs(10);

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
        self.changes += 1;
        self.state.save = if self.state_path.is_some() { SaveState::Unsaved } else { SaveState::Nowhere };
    }

    /// Orders a write if there is something unsaved, or if the last one failed some time ago.
    pub(super) fn write_unsaved(&mut self) {
        let due = match self.state.save {
            SaveState::Unsaved => true,
            SaveState::Failed(_) => self.failed.is_none_or(|at| at.elapsed() >= RETRY),
            SaveState::Saved | SaveState::Saving | SaveState::Nowhere => false,
        };
        if due && !self.writing {
            self.write();
        }
    }

    /// Orders a write of the current saved state.
    fn write(&mut self) {
        let Some(path) = self.state_path.clone() else { return };
        let states = Box::new([self.base.clone(), self.state.saved.clone()]);
        self.writing = self.disk.enqueue(FileTask::Save(path, states, self.changes));
        self.state.save = if self.writing { SaveState::Saving } else { SaveState::Nowhere };
    }

    /// Writes unsaved changes, and waits for that; if that fails, writes to the system's temporary folder.
    ///
    /// # Errors
    /// When it could not be written where it belongs: why, and where a copy of it is kept.
    pub(super) fn write_last(&mut self) -> Result<(), Diagnostic> {
        // A write needs the file's contents that the one before it found.
        while self.writing {
            match self.events.recv_timeout(PATIENCE) {
                Ok(Event::Saved(change, outcome)) => self.take_saved(change, outcome),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        if !matches!(self.state.save, SaveState::Saved) {
            self.write();
        }
        self.disk.finish();
        while let Ok(event) = self.events.try_recv() {
            if let Event::Saved(change, outcome) = event {
                self.take_saved(change, outcome);
            }
        }
        let Some(why) = self.state.unsaved.take().filter(|_| self.changes > 0) else { return Ok(()) };
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
        self.writing = false;
        let save = match outcome {
            Ok(written) => {
                self.state.unsaved = None;
                self.take_written(*written);
                SaveState::Saved
            }
            Err(problem) => {
                self.failed = Some(Instant::now());
                self.state.unsaved = Some(problem.clone());
                SaveState::Failed(problem)
            }
        };
        // A newer change may have come while this one was written: then it is still unsaved.
        self.state.save = if change == self.changes { save } else { SaveState::Unsaved };
    }

    /// Merges what another window wrote.
    fn take_written(&mut self, written: Written) {
        let (before, backend) = (self.state.kept().clone(), self.state.choice());
        self.state.notices.extend(written.notes.into_iter().map(Notice::Problem));
        self.state.saved = merge(&written.sent, &self.state.saved, &written.merged).0;
        self.base = written.merged;
        if self.state.choice() != backend {
            self.set_backend(self.state.choice());
        }
        let kept = self.state.kept();
        if kept.edits != before.edits || kept.exercises != before.exercises {
            self.take_edits();
        }
    }
}
