//! Commands from the window, and events from the worker threads.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::my_kernels::{KernelCommand, Opening};
use super::review::ReviewCommand;
use crate::base::diag::Diagnostic;
use crate::base::units;
use crate::device::DeviceSpec;
use crate::job::Language;
use crate::lesson::{Pack, Variant};
use crate::notes::Format;
use crate::reference::Explored;
use crate::session::ask::{Outcome, Question};
use crate::session::experiment::recording::{Recording, RecordingChoice};
use crate::session::experiment::sweep::Sweep;
use crate::session::learn::drawn::Points;
use crate::session::learn::event_class::EventClass;
use crate::session::learn::exercise::{Judged, Try};
use crate::session::learn::journal::Standing;
use crate::session::learn::predict::{Answer, Guess};
use crate::session::learn::review::Prompt;
use crate::session::learn::saved::{Frame, Room, ThemeChoice, Written};
use crate::session::learn::story::Story;
use crate::session::note::only::Only;
use crate::session::pack::quote::Quotes;
use crate::session::run::devices::Choice;
use crate::session::run::output::SweepPoint;
use crate::session::show::text_file::Counted;
use crate::trace::record::Device;

/// Something the learner did.
#[derive(Clone, Debug)]
pub enum Command {
    /// Open a lesson, where it was left.
    OpenLesson(String),
    /// Trace a lesson's picture for the start page.
    ShowCover(String),
    /// Go to a step, from 0.
    GoTo(usize),
    /// Turn a control.
    SetParam(String, f64),
    /// Put a program on the bench, by its id.
    ShowProgram(String),
    /// Change the text of the kernel in the editor; of one of the lesson's own, a version of the learner's is begun.
    TypeKernel(Language, String),
    /// Put a version of the learner's on the bench, by its id.
    ShowEdit(String),
    /// Give the version in the editor another name.
    RenameEdit(String),
    /// Give a version, by its id, the text that it began with, and put it on the bench.
    ResetEdit(String),
    /// Drop the version in the editor.
    DiscardEdit,
    /// Put another kernel into a place of the program: the pass's id and the kernel's.
    ChooseRung(String, String),
    /// Put a pass on the stage, by its id, and one of its launches, from 0.
    ShowPass(String, u64),
    /// Put a launch on the stage that the clock has come to: the pass's id, and which of its launches, from 0.
    FollowLaunch(String, u64),
    /// Race these with the program on the bench.
    SetBeside(Vec<Variant>),
    /// Put a workgroup on the stage, by its linear index.
    ShowWorkgroup(u32),
    /// Put a version of the learner's on the bench, by its id, and the costliest event of a kind on the stage.
    ShowCostliest(String, EventClass),
    /// Choose the picture on the stage.
    ShowFigure(String),
    /// Choose the measuring backend.
    SetBackend(Choice),
    /// Let the device's compiler guard indices, or not.
    SetBoundsChecks(bool),
    /// Choose the device to model, by id; None for the measuring one.
    SetModel(Option<String>),
    /// Choose the recording beside the learner's own curves.
    SetRecording(RecordingChoice),
    /// Choose how many lanes a traced warp has.
    SetWarpWidth(u32),
    /// Trace kernels in this language, where they are written in both.
    TraceIn(Language),
    /// Ask where an element of a buffer, counted in 32-bit words, came from.
    Explain(String, u64),
    /// Put the answer away.
    CloseOrigin,
    /// Look at a buffer, by its name.
    ShowBuffer(String),
    /// Choose the colours.
    SetTheme(ThemeChoice),
    /// Keep pictures still.
    SetStill(bool),
    /// Move the dividers between the panes.
    SetRoom(Room),
    /// The window was moved or has another size.
    SetFrame(Frame),
    /// Run the experiment in the plot.
    RunExperiment,
    /// Cancel the running work.
    Cancel,
    /// A step, by its id, was read to its end.
    Read(String),
    /// The step on the screen is being read, or no longer.
    Reading(bool),
    /// Put a concept elsewhere in the ledger, for a reason; None for where the rule puts it.
    Move(String, Option<Standing>, String),
    /// Review what is due.
    Review(ReviewCommand),
    /// Predict, and let the runs answer.
    Predict(String, Guess),
    /// Keep the points of a curve that is being drawn for a prediction, by its id.
    Draw(String, Points),
    /// Withdraw a prediction's curve, to change it.
    DrawAgain(String),
    /// Move the point that the lesson's explorers look at.
    Explore(Explored),
    /// Keep the learner's words on a step, by its id.
    Write(String, String),
    /// Judge the learner's version of an exercise, by its id.
    JudgeExercise(String),
    /// Open the next hint of an exercise, by its id.
    OpenHint(String),
    /// Open, set up or remove a kernel of the learner's own.
    Kernel(KernelCommand),
    /// Write a note of the lesson, with the text of these steps, into a folder.
    Export(Only, Vec<Format>, PathBuf),
    /// Count a text file, and show its beginning.
    OpenText(PathBuf),
    /// Cancel the counting.
    CancelText,
    /// Show a message.
    Tell(Diagnostic),
    /// Put a message away, by its place in the list.
    Dismiss(usize),
}

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

/// Something that happened on a thread. An answer carries its question, another result the number of its order, so that late ones are
/// recognized.
pub enum Event {
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
    /// The pack's files have changed.
    PackChanged,
    /// The chosen backend's device is known.
    Device(Choice, Result<Device, Diagnostic>),
    /// A message to the learner.
    Told(Diagnostic),
    /// A version of a kernel was compiled: its id, its text, its errors.
    Tried(String, String, Vec<Diagnostic>),
    /// A question was answered.
    Answered(Question, Outcome),
    /// One sample of a program's time for a question: the program's work, and seconds.
    Sample(Question, units::Work, f64),
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
