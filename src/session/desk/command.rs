//! The learner's commands, as the window sends them.

use std::path::PathBuf;

use crate::base::diag::Diagnostic;
use crate::job::Language;
use crate::lesson::Variant;
use crate::notes::Format;
use crate::reference::Explored;
use crate::session::experiment::recording::RecordingChoice;
use crate::session::learn::drawn_curve::Points;
use crate::session::learn::event_class::EventClass;
use crate::session::learn::journal::Standing;
use crate::session::learn::predict::Guess;
use crate::session::learn::saved::{Dividers, Frame, ThemeChoice};
use crate::session::note::only::Only;
use crate::session::pack::my_kernel::Setup;
use crate::session::run::devices::Choice;

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
    /// Change a setting.
    Set(SettingCommand),
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
    /// Ask where an element of a buffer, counted in 32-bit words, came from.
    Explain(String, u64),
    /// Put the answer away.
    CloseOrigin,
    /// Show the kernel's PTX or its machine code, or its source again.
    ShowBelowSource(bool),
    /// Look at a buffer, by its name.
    ShowBuffer(String),
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
    /// Read on after a prediction's question, by its id, without an answer.
    Skip(String),
    /// Keep the points of a curve that is being drawn for a prediction, by its id.
    Draw(String, Points),
    /// Withdraw a prediction's curve, to change it.
    DrawAgain(String),
    /// Move the point that the lesson's explorers look at.
    Explore(Explored),
    /// Keep the learner's words on a step, by its id.
    Write(String, String),
    /// Keep the learner's words on a step, by its id, and a picture as SVG that was pinned into them.
    Pin(String, String, Option<String>),
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

/// A setting and its new value.
#[derive(Clone, Debug)]
pub enum SettingCommand {
    /// The measuring backend.
    Backend(Choice),
    /// Whether the device's compiler guards indices.
    BoundsChecks(bool),
    /// The device to model, by id; None for the measuring one.
    Model(Option<String>),
    /// The recording beside the learner's own curves.
    Recording(RecordingChoice),
    /// Lanes of a traced warp.
    WarpWidth(u32),
    /// The language to trace kernels in, where they are written in both.
    Language(Language),
    /// The colours.
    Theme(ThemeChoice),
    /// Whether pictures stay still.
    Still(bool),
    /// The dividers between the panes.
    Dividers(Dividers),
    /// The window's place and size.
    Frame(Frame),
}

/// Something that the learner did about a kernel of their own.
#[derive(Clone, Debug)]
pub enum KernelCommand {
    /// Open a file with kernels.
    Open(PathBuf),
    /// Choose a kernel of the open file.
    Choose(String),
    /// Change the launch of the open kernel.
    Edit(Box<Setup>),
    /// Make a lesson of the open kernel, and open it.
    Watch,
    /// Write the launch of the open kernel into its file, as a comment.
    Keep,
    /// Put the open kernel away.
    Close,
    /// Change the launch of a kernel's lesson, by its id.
    SetUp(String),
    /// Read a lesson's files again, by its id.
    ReadAgain(String),
    /// Remove a kernel's lesson, by its id; the files stay.
    Remove(String),
}

/// Something that the learner does in a review.
#[derive(Clone, Debug)]
pub enum ReviewCommand {
    /// Begin with what is due.
    Begin,
    /// Answer what is asked.
    Answer(Guess),
    /// Say whether it was right, where the learner grades.
    Grade(bool),
    /// Open the exercise that is asked, from its starter.
    Exercise,
    /// Go on.
    Next,
    End,
}
