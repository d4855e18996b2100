//! What a lesson asks of its reader: predictions before runs, and kernels to write.

use std::sync::Arc;

use serde::Deserialize;

use super::model::{Curve, Experiment, Lesson};
use super::program::Variant;
use super::prose::{Block, Inline};
use crate::base::diag::Place;
use crate::base::expr::Expr;

/// A question to answer before measuring, and the measurement that answers it.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: Vec<Inline>,
    /// What it asks for.
    pub asks: Asks,
    /// What to understand from it, shown after the answer.
    pub because: Vec<Inline>,
}

/// What a prediction asks for.
#[derive(Clone, Debug)]
pub enum Asks {
    /// One of these answers, each with the number that it stands for: the nearest is right.
    Choice(Vec<(String, f64)>, AnswerDecl),
    /// A number, which is right within this share of the answer.
    Number(f64, AnswerDecl),
    /// A curve, drawn over the values of an experiment.
    Curve(CurveDecl),
}

/// Where the answer to a question about one figure comes from.
#[derive(Clone, Debug)]
pub struct AnswerDecl {
    /// The runs that answer it; each probe's results are names in `measured` and `traced`.
    pub probes: Vec<Probe>,
    /// The answer from the probes' times; None for a question about what runs count.
    pub measured: Option<Expr>,
    /// The answer that the probes' sectors alone suggest; shown where nothing can be timed, and beside it where it can.
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
    /// Parameters that differ from the lesson's defaults. Where a GPU measures, the experiment's own take precedence.
    pub set: Vec<(String, f64)>,
    /// The ends of the y axis, in the unit of what the experiment plots.
    pub reach: [f64; 2],
    /// Where the lesson asks for it.
    pub place: Place,
}

impl Prediction {
    /// Where its answer comes from; None where it asks for a curve, which its experiment answers.
    #[must_use]
    pub fn answer(&self) -> Option<&AnswerDecl> {
        match &self.asks {
            Asks::Choice(_, answer) | Asks::Number(_, answer) => Some(answer),
            Asks::Curve(_) => None,
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
    /// What is run.
    pub variant: Variant,
    /// Parameters that differ from the learner's.
    pub set: Vec<(String, f64)>,
}

/// A kernel to write: the learner's source takes the place of a kernel's own.
#[derive(Clone, Debug)]
pub struct Exercise {
    /// Its id.
    pub id: String,
    /// What to do.
    pub prompt: Vec<Block>,
    /// The program that it is a part of, with its buffers and checks.
    pub variant: Variant,
    /// The pass whose kernel's place it takes.
    pub pass: String,
    /// Parameters it is judged at.
    pub set: Vec<(String, f64)>,
    /// Other parameters at which its result must be right, too, such as sizes that do not divide.
    pub also: Vec<Vec<(String, f64)>>,
    /// The file it starts from, within the pack.
    pub starter_file: String,
    /// What the learner starts from: it must fail.
    pub starter: Arc<str>,
    /// The file of one that passes, within the pack.
    pub solution_file: String,
    /// One that passes.
    pub solution: Arc<str>,
    /// Kernels that look right and must not pass.
    pub wrong: Vec<WrongKernel>,
    /// Besides a right result: must be nonzero. The run's results are under the name `exercise`.
    pub goal: Expr,
    /// What the goal asks, for people.
    pub goal_text: String,
    /// Where the document declares it.
    pub place: Place,
}

impl Exercise {
    /// The id of the reader's version of its kernel. No id of a lesson has a `+`.
    #[must_use]
    pub fn yours(&self) -> String {
        format!("{}+yours", self.id)
    }

    /// The id of the kernel that it starts from.
    #[must_use]
    pub fn starts(&self) -> String {
        format!("{}+starter", self.id)
    }
}

/// A kernel that looks right and must not pass.
#[derive(Clone, Debug)]
pub struct WrongKernel {
    /// Its file, within the pack.
    pub file: String,
    /// Its text.
    pub source: Arc<str>,
    /// What must be found of it.
    pub caught_by: Catch,
    /// Its mistake, in words for a learner whose kernel does the same.
    pub says: Option<String>,
    /// Where the lesson says so.
    pub place: Place,
}

/// What keeps a kernel from solving an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Catch {
    /// It does not compile, or cannot be launched.
    Compile,
    /// Its result is wrong.
    Result,
    /// Two lanes race.
    Race,
    /// It reads or writes past the end of a buffer or an array.
    OutOfBounds,
    /// It reads memory that nothing has written.
    Uninitialized,
    /// A subgroup operation asks a lane that does not take part.
    InactiveLane,
    /// Not all lanes reach a barrier.
    DivergentBarrier,
    /// It does not end.
    Endless,
    /// Its result is right, and the goal is not reached.
    Goal,
}

/// All of [`Catch`], for messages and the reference.
pub const CATCHES: [&str; 9] = [
    "Compile",
    "Result",
    "Race",
    "OutOfBounds",
    "Uninitialized",
    "InactiveLane",
    "DivergentBarrier",
    "Endless",
    "Goal",
];

impl Catch {
    /// What it finds, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Compile => "an error of the compiler or of the launch",
            Self::Result => "a wrong result",
            Self::Race => "a race",
            Self::OutOfBounds => "an index out of bounds",
            Self::Uninitialized => "a read of memory that nothing has written",
            Self::InactiveLane => "a subgroup operation that asks an absent lane",
            Self::DivergentBarrier => "a barrier that not all lanes reach",
            Self::Endless => "that it does not end",
            Self::Goal => "a goal that is not reached",
        }
    }
}
