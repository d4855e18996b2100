//! What the window asks for, and what the threads answer.

use std::path::PathBuf;
use std::sync::Arc;

use super::state::{Sweep, Traced};
use crate::base::diag::Diagnostic;
use crate::lesson::Pack;
use crate::notes::Format;
use crate::session::devices::Choice;
use crate::session::exercise::Verdict;
use crate::session::output::SweepPoint;
use crate::session::predict::Answer;
use crate::session::saved::ThemeChoice;
use crate::trace::record::{Ceilings, Device, Record};

/// Something the learner did.
#[derive(Clone, Debug)]
pub enum Command {
    /// Open a lesson, where it was left.
    OpenLesson(String),
    /// Go to a step, from 0.
    GoTo(usize),
    /// Turn a control.
    SetParam(String, f64),
    /// Put a kernel on the bench.
    ShowKernel(String),
    /// Put a workgroup on the stage, by its linear index.
    ShowWorkgroup(u32),
    /// Choose what measures.
    SetBackend(Choice),
    /// Let the device's compiler guard indices and loops, or not.
    SetBoundsChecks(bool),
    /// Choose the colours.
    SetTheme(ThemeChoice),
    /// Keep pictures still.
    SetStill(bool),
    /// Run the experiment in the plot.
    RunExperiment,
    /// Call off what is running.
    Cancel,
    /// Choose an option of a prediction and let the measurement answer.
    Predict(String, usize),
    /// Keep the learner's words on a step, by its id.
    Write(String, String),
    /// Keep the learner's version of the exercise.
    EditExercise(String),
    /// Start the exercise again from its starter.
    ResetExercise,
    /// Judge the learner's version.
    JudgeExercise,
    /// Write a note of the lesson into a folder.
    Export(Vec<Format>, PathBuf),
    /// Put a message away, by its place in the list.
    Dismiss(usize),
}

/// Something that happened on a thread.
pub enum Event {
    /// The pack was read.
    Pack(Pack, Vec<Diagnostic>),
    /// The chosen backend's device is known.
    Device(Choice, Result<Device, Diagnostic>),
    /// The device's ceilings were measured.
    Ceilings(Result<Ceilings, Diagnostic>),
    /// A kernel was traced: in part, or in full.
    Traced(String, Traced),
    /// A kernel could not be traced or measured.
    Failed(String, String, Vec<Diagnostic>),
    /// One sample of a kernel's time: kernel, key, useful bytes and operations, seconds.
    Sample(String, String, (f64, f64), f64),
    /// A kernel was measured: kernel, key, useful bytes and operations.
    Measured(String, String, (f64, f64), Arc<Record>),
    /// A sweep began.
    SweepStarted(String, Sweep),
    /// A sweep has another point.
    SweepPoint(String, Box<SweepPoint>, Vec<Diagnostic>),
    /// The device thread has nothing left to do.
    Idle,
    /// A prediction was answered.
    Answered(String, Result<Answer, Vec<Diagnostic>>),
    /// The exercise was judged.
    Judged(Verdict),
    /// A note was written, and what had to be left out of it.
    Exported(Result<Vec<PathBuf>, Diagnostic>, Vec<Diagnostic>),
    /// What is kept was written.
    Saved(Result<(), Diagnostic>),
}
