//! Events from the worker threads.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::opening::Opening;
use crate::base::diag::Diagnostic;
use crate::base::units;
use crate::device::DeviceSpec;
use crate::lesson::Pack;
use crate::session::ask::{Outcome, Query};
use crate::session::experiment::recording::Recording;
use crate::session::experiment::sweep::Sweep;
use crate::session::learn::exercise::{Judged, Try};
use crate::session::learn::predict::Answer;
use crate::session::learn::review::Prompt;
use crate::session::learn::saved::Written;
use crate::session::learn::story::Story;
use crate::session::pack::quote::Quotes;
use crate::session::run::devices::Choice;
use crate::session::run::output::SweepPoint;
use crate::session::show::text_file::Counted;
use crate::trace::record::Device;

/// Work that takes time and that the learner can cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Work {
    /// Measuring.
    Device,
    /// Judging the exercise.
    Judge,
    /// Writing a note.
    Export,
    /// Counting a text file.
    Text,
    /// Opening a kernel of the learner's, or writing its lesson.
    Kernel,
}

/// Something that happened on a thread. An answer carries its question, another result the number of its order, so that
/// late ones are recognized.
pub enum Event {
    /// The lessons were read, before all that belongs to them: the start page has its cards.
    Lessons(Pack),
    /// The pack was read.
    Pack(Pack, Vec<Diagnostic>),
    /// The pack's devices were read.
    Models(Vec<DeviceSpec>),
    /// The pack's recordings were read.
    Recordings(Vec<Recording>),
    /// The figures that the pack quotes were found.
    Quotes(Quotes),
    /// A file of the learner's was opened, and a launch of its kernel proposed.
    KernelOpened(Result<Box<Opening>, Diagnostic>),
    /// The lesson of a kernel of the learner's was written, by its id, or one was removed.
    KernelWritten(Result<Option<String>, Diagnostic>),
    /// A launch was written into its kernel's file.
    KernelKept(Result<PathBuf, Diagnostic>),
    /// The pack's files have changed.
    PackChanged,
    /// The chosen backend's device is known.
    Device(Choice, Result<Device, Diagnostic>),
    /// A message to the learner.
    Told(Diagnostic),
    /// A version of a kernel was compiled: its id, its text, its errors.
    Tried(String, String, Vec<Diagnostic>),
    /// A question was answered.
    Answered(Query, Outcome),
    /// One sample of a program's time for a question: the program's work, and seconds.
    Sample(Query, units::Work, f64),
    /// A sweep of an experiment began.
    SweepStarted(String, Sweep),
    /// An experiment's sweep, by its order's number, has another point.
    SweepPoint(String, u64, Box<SweepPoint>, Vec<Diagnostic>),
    /// An order of this number was carried out or cancelled.
    Done(Work, u64),
    /// A lesson's prediction was answered.
    Predicted(String, String, Result<Answer, Vec<Diagnostic>>),
    /// The learner's solution of an exercise was judged.
    Judged(Try, Judged),
    /// How far a note is, by its order's number: parts done, and all.
    Writing(u64, (usize, usize)),
    /// A note was written: its files, and problems with parts that were left out.
    Exported(Result<Vec<PathBuf>, Diagnostic>, Vec<Diagnostic>),
    /// How far a text file is counted, by its order's number: bytes done, bytes in all.
    TextRead(u64, u64, u64),
    /// A text file was counted, by its order's number.
    TextCounted(u64, Result<Box<Counted>, Diagnostic>),
    /// A finished curve could not be written.
    NotKept(Diagnostic),
    /// The journal was read: whether there was one, and what follows from it.
    Story(Result<(bool, Box<Story>), Diagnostic>),
    /// Lines of the journal were written: how many, and what kept the others from it.
    Appended(usize, Option<Diagnostic>),
    /// The next prompt of the review.
    Prompt(Box<Prompt>),
    /// The saved state was written, as of this change.
    Saved(u64, Result<Box<Written>, Diagnostic>),
}

/// Sends events and wakes the window, so that it draws them.
#[derive(Clone)]
pub struct Outbox {
    /// Where events go.
    pub events: Sender<Event>,
    /// Called after each.
    pub wake: Arc<dyn Fn() + Send + Sync>,
}

impl Outbox {
    /// Sends one event. Events sent after the desk is dropped are discarded.
    pub fn send(&self, event: Event) {
        let _ = self.events.send(event);
        (self.wake)();
    }
}
