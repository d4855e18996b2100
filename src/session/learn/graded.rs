//! Whether a learner's prediction was right, and how far it was from the answer.

use super::drawn_curve::farthest;
use super::predict::{Answer, Grade, Guess};
use crate::base::units::{digits3, figure};
use crate::lesson::{AnswerDecl, AnswerKind, Prediction};

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

/// Whether a guess was right, in words, "my" or "your" answer; None for a drawn curve, which is compared and not graded.
#[must_use]
pub fn verdict(prediction: &Prediction, guess: &Guess, answer: &Answer, whose: &str) -> Option<String> {
    let (grade, given, within) = match (&prediction.asks, guess) {
        (AnswerKind::Choice(options, _), Guess::Choice(choice)) => {
            (answer.grade(options), options.get(*choice)?.1, None)
        }
        (AnswerKind::Number(within, _), Guess::Number(number)) => {
            (answer.grade_number(*number, *within), *number, Some(*within))
        }
        _ => return None,
    };
    let share = within.map(|within| format!("{}%", digits3(100.0 * within)));
    Some(match (grade, &prediction.asks, guess) {
        (Grade::Nearest(right), AnswerKind::Choice(..), Guess::Choice(mine)) if right == *mine => "Right.".to_owned(),
        (Grade::Nearest(right), AnswerKind::Choice(options, _), _) => {
            format!("Wrong: the right answer is “{}”{}.", options.get(right)?.0, off_by(given, answer, whose))
        }
        (Grade::Within(true), ..) => format!("Right, within {}.", share?),
        (Grade::Within(false), ..) => format!("Wrong: not within {}{}.", share?, off_by(given, answer, whose)),
        (Grade::Spread, ..) => "Not graded: from p10 to p90, what was measured does not decide.".to_owned(),
        (Grade::Cpu, ..) => "Not graded: a CPU took these times, and they say little about a GPU.".to_owned(),
        _ => "Not graded: there is no result to grade it by.".to_owned(),
    })
}

/// By what factor a guess is too low or too high; empty where there is no factor between the two.
fn off_by(given: f64, answer: &Answer, whose: &str) -> String {
    let Some(found) = answer.deciding().filter(|found| *found > 0.0 && given > 0.0) else { return String::new() };
    let (factor, how) = if given < found { (found / given, "low") } else { (given / found, "high") };
    format!("; {whose} answer is too {how} by a factor of {}", digits3(factor))
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
