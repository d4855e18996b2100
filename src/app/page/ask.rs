//! A reader's actions in the prose.

use crate::reference::Explored;
use crate::session::desk::Command;
use crate::session::learn::drawn_curve::Points;
use crate::session::learn::event_class::EventClass;
use crate::session::learn::predict::Guess;

/// Something that a reader did in the prose.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Turned a control.
    Set(String, f64),
    /// Predicted.
    Predict(String, Guess),
    /// Reads on after a prediction's question, by its id, without an answer.
    Skip(String),
    /// Drew a part of a prediction's curve.
    Draw(String, Points),
    /// Wants to change the curve of a prediction.
    DrawAgain(String),
    /// Moved the point that explorers look at.
    Explore(Explored),
    /// Does not want the text file counted any more.
    CancelText,
    /// Wants a version of a kernel on the bench, by its id.
    Open(String),
    /// Wants an exercise judged, by its id.
    Judge(String),
    /// Wants the next hint of an exercise, by its id.
    Hint(String),
    /// Wants a version to begin again, by its id.
    Reset(String),
    /// Wants to see the costliest event of a kind of a version, by its id.
    See(String, EventClass),
}

impl Ask {
    /// The command that carries it out.
    pub fn command(self) -> Command {
        match self {
            Self::Set(id, value) => Command::SetParam(id, value),
            Self::Predict(id, guess) => Command::Predict(id, guess),
            Self::Skip(id) => Command::Skip(id),
            Self::Draw(id, points) => Command::Draw(id, points),
            Self::DrawAgain(id) => Command::DrawAgain(id),
            Self::Explore(point) => Command::Explore(point),
            Self::CancelText => Command::CancelText,
            Self::Open(id) => Command::ShowEdit(id),
            Self::Judge(id) => Command::JudgeExercise(id),
            Self::Hint(id) => Command::OpenHint(id),
            Self::Reset(id) => Command::ResetEdit(id),
            Self::See(id, counted) => Command::ShowCostliest(id, counted),
        }
    }
}
