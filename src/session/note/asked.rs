//! Predictions and exercises in a note: the question, the learner's response, and the answer.

use super::{Input, source};
use crate::base::units::{counted, digits3, figure};
use crate::figures::{plot, svg};
use crate::lesson::{AnswerKind, Block, CurveDecl, Exercise, Inline, Lesson, Prediction};
use crate::notes::NoteBlock;
use crate::session::learn::predict::{Answer, Guess};
use crate::session::learn::{drawn_curve, graded, question};
use crate::session::show::interpolate::Fill;

/// Size of a drawn curve's plot, in points.
const PLOT: [f32; 2] = [720.0, 400.0];

/// A prediction as the lesson asks it, with its answer folded away.
pub(super) fn asked(lesson: &Lesson, id: &str, fill: &Fill<'_>) -> Option<NoteBlock> {
    let prediction = lesson.predictions.iter().find(|p| p.id == id)?;
    Some(NoteBlock::Prediction {
        question: fill.inlines(&question::text(lesson, prediction)),
        options: options(&prediction.asks),
        answer: None,
        measured: None,
        traced: None,
        is_drawn: matches!(prediction.asks, AnswerKind::Curve(_)),
        verdict: None,
        because: fill.inlines(&prediction.because),
    })
}

/// The choices that a question offers.
fn options(asks: &AnswerKind) -> Vec<String> {
    match asks {
        AnswerKind::Choice(options, _) => options.iter().map(|(label, _)| label.clone()).collect(),
        AnswerKind::Number(..) | AnswerKind::Curve(_) => Vec::new(),
    }
}

/// A prediction that the learner made: the question, the guess, the answer, and whether it was right. Empty if none was
/// made.
pub(super) fn prediction(input: &Input, prediction: &Prediction, fill: &Fill<'_>) -> Vec<NoteBlock> {
    let kept = input.kept.counts(&prediction.id);
    let answer = kept.and_then(|kept| kept.answer.as_ref());
    let mut blocks = Vec::new();
    let said = match (&prediction.asks, kept.map(|kept| &kept.guess)) {
        (AnswerKind::Curve(decl), guess) => {
            let in_progress = input.kept.drawn.get(&prediction.id);
            let points = if let Some(Guess::Curve(points)) = guess { Some(points) } else { in_progress };
            points.map(|points| {
                let (said, shown) = curve(input, (&prediction.id, decl), points, answer);
                blocks = shown;
                said
            })
        }
        (asked, guess) => guess.and_then(|guess| graded::said(asked, guess)),
    };
    let Some(said) = said else { return Vec::new() };
    let last =
        input.kept.predictions.get(&prediction.id).filter(|last| Some(&last.guess) != kept.map(|kept| &kept.guess));
    let said = match last.and_then(|last| graded::said(&prediction.asks, &last.guess)) {
        Some(last) => format!("{said} at first, then {last}"),
        None => said,
    };
    let shown = |value: Option<f64>| Some(figure(value?, &prediction.answer()?.unit));
    let how = if prediction.answer().is_some_and(|decl| decl.probes.is_empty()) {
        "By arithmetic"
    } else {
        "From the trace alone"
    };
    let traced = shown(answer.and_then(|a| a.traced)).map(|value| [how.to_owned(), value]);
    let mut measured = shown(answer.and_then(|a| a.measured));
    if let (Some(measured), Some(answer)) = (&mut measured, answer.filter(|answer| answer.recorded.is_some())) {
        measured.push_str(&format!(", recorded on {}", answer.device.as_deref().unwrap_or_default()));
    }
    let asked = NoteBlock::Prediction {
        question: fill.inlines(&question::text(&input.setting.lesson, prediction)),
        options: options(&prediction.asks),
        answer: Some(said),
        measured,
        traced,
        is_drawn: matches!(prediction.asks, AnswerKind::Curve(_)),
        verdict: kept.zip(answer).and_then(|(kept, answer)| graded::verdict(prediction, &kept.guess, answer, "my")),
        because: fill.inlines(&prediction.because),
    };
    blocks.insert(0, asked);
    blocks
}

/// A drawn curve in words, as a figure and as data, with the answer if there is one.
fn curve(
    input: &Input,
    (id, decl): (&str, &CurveDecl),
    points: &[(f64, f64)],
    answer: Option<&Answer>,
) -> (String, Vec<NoteBlock>) {
    let found = answer.and_then(|answer| answer.curve.as_ref());
    let said = "the curve below".to_owned();
    let Some(plot) = drawn_curve::plot(&input.setting.lesson, decl, points, found) else { return (said, Vec::new()) };
    let frame = plot::frame(&plot, PLOT);
    let said =
        found.map_or_else(|| said.clone(), |found| format!("{said}. {}", drawn_curve::compared(&plot, points, found)));
    let from = found.zip(answer).map(|(found, answer)| {
        let device = answer.device.as_deref().unwrap_or_default();
        format!(", and {} {device}, at {}", found.by.phrase(), answer.runs.join("; "))
    });
    let caption = format!("{}: as I drew it{}.", plot.title, from.unwrap_or_default());
    let unit = if plot.y.unit.is_empty() { String::new() } else { format!(" ({})", plot.y.unit) };
    let mut header = vec![plot.x.label.clone(), format!("drawn{unit}")];
    header.extend(found.map(|found| format!("{}{unit}", found.by.word())));
    let row = |(x, y): &(f64, f64)| {
        let mut row = vec![format!("{x}"), digits3(*y)];
        let there = |of: &[(f64, f64)]| of.iter().find(|(at, _)| at == x).map(|(_, y)| digits3(*y));
        row.extend(found.map(|found| there(&found.points).unwrap_or_default()));
        row
    };
    let id = format!("{id}-drawn");
    let figure = NoteBlock::Figure { id: id.clone(), caption, alt: frame.alt.clone(), svg: svg::adaptive(&frame) };
    let rows = points.iter().map(row).collect();
    (said, vec![figure, NoteBlock::Data { id, caption: format!("{}, drawn", plot.title), header, rows }])
}

/// An exercise as the lesson sets it.
pub(super) fn exercise(lesson: &Lesson, id: &str, fill: &Fill<'_>) -> Vec<NoteBlock> {
    let Some(exercise) = lesson.exercises.iter().find(|exercise| exercise.id == id) else { return Vec::new() };
    // With the starter, a reader without a window can do the exercise.
    let starter = source::whole(&exercise.starter_file, &exercise.starter_file, &exercise.starter);
    vec![task(exercise, fill), starter]
}

fn task(exercise: &Exercise, fill: &Fill<'_>) -> NoteBlock {
    let goal = Block::Paragraph(vec![Inline::Text(format!("Goal: {}", exercise.goal_text))]);
    NoteBlock::Prose(exercise.prompt.iter().map(|block| fill.block(block)).chain([goal]).collect())
}

/// An exercise that the learner tried, and the kernels written for it as changes of its starter. Empty if it was not
/// tried.
pub(super) fn tried(input: &Input, exercise: &Exercise, fill: &Fill<'_>) -> Vec<NoteBlock> {
    let tried = input.kept.tried(&exercise.id);
    let last = tried.source.as_ref().filter(|source| tried.solution.as_ref() != Some(source));
    if tried.solution.is_none() && last.is_none() {
        return Vec::new();
    }
    let outcome = if tried.solution.is_some() { "Solved" } else { "Not solved yet" };
    let hints = match u64::try_from(tried.hints).unwrap_or(u64::MAX) {
        0 => ".".to_owned(),
        hints => format!(", with {}.", counted(hints, "hint")),
    };
    let outcome = Block::Paragraph(vec![Inline::Strong(vec![Inline::Text(format!("{outcome}{hints}"))])]);
    let mut blocks = vec![task(exercise, fill), NoteBlock::Prose(vec![outcome])];
    let versions =
        [("my kernel, which reaches the goal", tried.solution.as_ref()), ("my kernel, as last edited", last)];
    for (name, text) in versions {
        let Some(text) = text else { continue };
        blocks.extend(source::diff((&exercise.starter_file, &exercise.starter), (name, text)));
        blocks.push(source::whole(&format!("{name}, whole"), &exercise.starter_file, text));
    }
    blocks
}
