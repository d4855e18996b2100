//! Predictions and exercises of a lesson: questions before runs, and kernels to write.

use std::sync::Arc;

use serde::Deserialize;

use super::model::{Curve, Experiment, Lesson};
use super::program::Variant;
use super::prose::{Block, Inline};
use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::trace::FindingKind;

/// A question to answer before measuring, and the measurement that answers it.
#[derive(Clone, Debug)]
pub struct Prediction {
    pub id: String,
    pub question: Vec<Inline>,
    /// The kind of answer, and where the right one comes from.
    pub asks: AnswerKind,
    /// The explanation, shown after the answer.
    pub because: Vec<Inline>,
    /// Concepts that it tests.
    pub teaches: Vec<String>,
    pub place: Place,
}

/// The kind of answer that a prediction asks for.
#[derive(Clone, Debug)]
pub enum AnswerKind {
    /// One of these answers, each with the number that it represents; the nearest is right.
    Choice(Vec<(String, f64)>, AnswerDecl),
    /// A number, which is right if it is within this share of the answer.
    Number(f64, AnswerDecl),
    /// A curve, drawn over the values of an experiment.
    Curve(CurveDecl),
}

/// Where the answer to a question about one figure comes from.
#[derive(Clone, Debug)]
pub struct AnswerDecl {
    /// The runs that answer it; the results of each probe are names in `measured` and `traced`.
    pub probes: Vec<Probe>,
    /// The answer from the probes' times; None for a question about what runs count.
    pub measured: Option<Expr>,
    /// The answer that the probes' sectors alone suggest; shown if nothing can be timed, and beside the measured answer
    /// otherwise.
    pub traced: Expr,
    /// The unit of both: `%` of a ratio, `x` for a factor.
    pub unit: String,
}

/// A curve to draw: one of an experiment's.
#[derive(Clone, Debug)]
pub struct CurveDecl {
    /// The experiment, by its id.
    pub experiment: String,
    /// The curve, by its id there.
    pub curve: String,
    /// Parameters that differ from the lesson's defaults. On a GPU, the experiment's own take precedence.
    pub set: Vec<(String, f64)>,
    /// The range of the y axis, in the unit of what the experiment plots.
    pub reach: [f64; 2],
    pub place: Place,
}

impl Prediction {
    /// The source of its answer; None for a curve, which its experiment answers.
    #[must_use]
    pub fn answer(&self) -> Option<&AnswerDecl> {
        match &self.asks {
            AnswerKind::Choice(_, answer) | AnswerKind::Number(_, answer) => Some(answer),
            AnswerKind::Curve(_) => None,
        }
    }
}

impl CurveDecl {
    /// The experiment and its curve in a lesson.
    #[must_use]
    pub fn of<'a>(&self, lesson: &'a Lesson) -> Option<(&'a Experiment, &'a Curve)> {
        let experiment = lesson.experiments.iter().find(|experiment| experiment.id == self.experiment)?;
        Some((experiment, experiment.curves.iter().find(|curve| curve.id == self.curve)?))
    }
}

/// One run of a prediction.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its name in the prediction's expressions.
    pub id: String,
    /// The program that it runs.
    pub variant: Variant,
    /// Parameters that differ from the learner's.
    pub set: Vec<(String, f64)>,
}

/// A kernel to write: the learner's source replaces that of a kernel.
#[derive(Clone, Debug)]
pub struct Exercise {
    pub id: String,
    /// The task.
    pub prompt: Vec<Block>,
    /// The program that it is part of, with its buffers and checks.
    pub variant: Variant,
    /// The pass whose kernel it replaces.
    pub pass: String,
    /// Parameters of the run that is judged.
    pub set: Vec<(String, f64)>,
    /// Other parameters at which its result must be right too, such as sizes that do not divide evenly.
    pub also: Vec<Vec<(String, f64)>>,
    /// The starter's file, within the pack.
    pub starter_file: String,
    /// The source that the learner starts from: it must fail.
    pub starter: Arc<str>,
    /// The solution's file, within the pack.
    pub solution_file: String,
    /// A source that passes.
    pub solution: Arc<str>,
    /// Kernels that look right and must not pass.
    pub wrong: Vec<WrongKernel>,
    /// Hints, opened one after the other. The solution follows the last one.
    pub hints: Vec<Vec<Inline>>,
    /// Conditions besides a right result. The run's results have the name `exercise`.
    pub goal: Vec<GoalPart>,
    pub goal_text: String,
    /// Concepts that it tests.
    pub teaches: Vec<String>,
    /// Where the document declares it.
    pub place: Place,
}

impl Exercise {
    /// The id of the reader's version of its kernel. No id in a lesson has a `+`.
    #[must_use]
    pub fn yours(&self) -> String {
        format!("{}+yours", self.id)
    }

    /// The id of the starter kernel.
    #[must_use]
    pub fn starts(&self) -> String {
        format!("{}+starter", self.id)
    }
}

/// A part of a goal: a figure of the run, and the figure that it must have.
#[derive(Clone, Debug)]
pub struct GoalPart {
    /// The quantity, in words; empty if the goal is one condition, which only `goal_text` describes.
    pub of: String,
    /// The figure of the run.
    pub have: Expr,
    /// The figure that it must have.
    pub need: Need,
}

/// A requirement of a figure.
#[derive(Clone, Debug)]
pub enum Need {
    AtMost(Expr),
    /// This.
    Exactly(Expr),
    /// Anything but 0.
    Nonzero,
}

/// A kernel that looks right and must not pass.
#[derive(Clone, Debug)]
pub struct WrongKernel {
    /// Its file, within the pack.
    pub file: String,
    pub source: Arc<str>,
    /// The finding that must reject it.
    pub caught_by: Catch,
    /// Its mistake, in words for a learner whose kernel has the same one.
    pub says: Option<String>,
    pub place: Place,
}

/// Declares the reasons that a kernel does not solve an exercise: each with its description, and its name after "this is caught by".
macro_rules! catches {
    ($(#[doc = $help:literal] $catch:ident, $words:literal;)*) => {
        /// Reasons that a kernel does not solve an exercise.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
        pub enum Catch {
            $(#[doc = $help] $catch,)*
        }

        /// All variants of [`Catch`] with their descriptions, for messages and the reference.
        pub const CATCHES: &[(&str, &str)] = &[$((stringify!($catch), $help.trim_ascii()),)*];

        impl Catch {
            /// The finding in words.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$catch => $words,)*
                }
            }
        }
    };
}

catches! {
    /// it does not compile, or cannot be launched
    Compile, "an error of the compiler or of the launch";
    /// its result is wrong
    Result, "a wrong result";
    /// two lanes race
    Race, "a race";
    /// an index is past the end of a buffer or an array
    OutOfBounds, "an index out of bounds";
    /// it reads memory that nothing has written
    Uninitialized, "a read of memory that nothing has written";
    /// a subgroup operation asks a lane that does not take part
    InactiveLane, "a subgroup operation that asks an absent lane";
    /// not all lanes reach a barrier
    DivergentBarrier, "a barrier that not all lanes reach";
    /// it does not end
    Endless, "that it does not end";
    /// its result is right, but the goal is not reached
    Goal, "a goal that is not reached";
}

impl From<FindingKind> for Catch {
    fn from(kind: FindingKind) -> Self {
        match kind {
            FindingKind::OutOfBounds | FindingKind::Misaligned => Self::OutOfBounds,
            FindingKind::Race | FindingKind::EarlyRead => Self::Race,
            FindingKind::Uninitialized => Self::Uninitialized,
            FindingKind::InactiveLane => Self::InactiveLane,
            FindingKind::DivergentBarrier => Self::DivergentBarrier,
            FindingKind::OutOfFuel | FindingKind::Deadlock => Self::Endless,
            FindingKind::Assertion => Self::Result,
        }
    }
}
