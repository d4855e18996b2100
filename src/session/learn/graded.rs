//! Whether a learner's prediction was right, and how far it was from the answer.

use super::drawn_curve::farthest;
use super::predict::{Answer, Grade, Guess};
use crate::base::units::figure;
use crate::lesson::{AnswerDecl, AnswerKind};

/// A drawn curve is right if it is nowhere off by a greater factor.
const CURVE: f64 = 1.25;

/// The grade of a prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Graded {
    /// Whether it was right; None if the answer does not decide.
    pub right: Option<bool>,
    /// The guess over the answer; for a curve, the greatest factor between both. None if there is no such ratio.
    pub off: Option<f64>,
}

/// Grades a guess by its answer.
#[must_use]
pub fn graded(asks: &AnswerKind, guess: &Guess, answer: &Answer) -> Graded {
    let ratio = |guess: f64| answer.deciding().map(|found| guess / found).filter(|off| off.is_finite());
    match (asks, guess) {
        (AnswerKind::Choice(options, _), Guess::Choice(choice)) => Graded {
            right: match answer.grade(options) {
                Grade::Nearest(nearest) => Some(nearest == *choice),
                _ => None,
            },
            off: options.get(*choice).and_then(|(_, value)| ratio(*value)),
        },
        (AnswerKind::Number(within, _), Guess::Number(number)) => Graded {
            right: match answer.grade_number(*number, *within) {
                Grade::Within(right) => Some(right),
                _ => None,
            },
            off: ratio(*number),
        },
        (AnswerKind::Curve(_), Guess::Curve(points)) => {
            let far = answer.curve.as_ref().and_then(|found| farthest(points, &found.points));
            let off = far.map(|far| far.factor);
            Graded { right: off.map(|off| off <= CURVE), off: off.filter(|off| off.is_finite()) }
        }
        _ => Graded::default(),
    }
}

/// A guess in words, as the question puts it; None for a curve, and for an option that the question no longer has.
#[must_use]
pub fn said(asks: &AnswerKind, guess: &Guess) -> Option<String> {
    match (asks, guess) {
        (AnswerKind::Choice(options, _), Guess::Choice(choice)) => options.get(*choice).map(|(label, _)| label.clone()),
        (AnswerKind::Number(_, decl), Guess::Number(number)) => Some(figure(*number, &decl.unit)),
        _ => None,
    }
}

/// How the answer to a question is found, in words.
#[must_use]
pub fn found_by(decl: &AnswerDecl) -> &'static str {
    match decl {
        AnswerDecl { measured: Some(_), .. } => "by a GPU's times",
        AnswerDecl { probes, .. } if probes.is_empty() => "by arithmetic",
        _ => "by the trace",
    }
}

/// The kind of a question, for the learner's calibration.
#[must_use]
pub fn kind(asks: &AnswerKind) -> &'static str {
    match asks {
        AnswerKind::Choice(_, of) | AnswerKind::Number(_, of) if of.measured.is_some() => "times",
        AnswerKind::Choice(..) => "choices",
        AnswerKind::Number(..) => "numbers",
        AnswerKind::Curve(_) => "curves",
    }
}
