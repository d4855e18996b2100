//! Predictions and exercises in a note: the question, the learner's response, and the answer.

use super::Input;
use super::fill::Fill;
use crate::base::units::{digits3, figure};
use crate::figures::{plot, svg};
use crate::lesson::{Asks, Block, CurveDecl, Inline};
use crate::notes::NoteBlock;
use crate::session::learn::drawn;
use crate::session::learn::predict::{Answer, Guess};

/// Size of a drawn curve's plot, in points.
const PLOT: [f32; 2] = [720.0, 400.0];

/// A prediction: the question, the learner's guess, and the answer.
pub(super) fn prediction(input: &Input, id: &str, fill: &Fill<'_>) -> Vec<NoteBlock> {
    let Some(prediction) = input.setting.lesson.predictions.iter().find(|p| p.id == id) else { return Vec::new() };
    let kept = input.kept.predictions.get(id);
    let answer = kept.and_then(|kept| kept.answer.as_ref());
    let question = fill.inlines(&prediction.question);
    let because = fill.inlines(&prediction.because);
    let options = match &prediction.asks {
        Asks::Choice(options, _) => options.iter().map(|(label, _)| label.clone()).collect(),
        Asks::Number(..) | Asks::Curve(_) => Vec::new(),
    };
    let said = match (&prediction.asks, kept.map(|kept| &kept.guess)) {
        (Asks::Choice(options, _), Some(Guess::Choice(choice))) => options.get(*choice).map(|(label, _)| label.clone()),
        (Asks::Number(_, decl), Some(Guess::Number(number))) => Some(figure(*number, &decl.unit)),
        (Asks::Curve(decl), guess) => {
            let in_progress = input.kept.drawn.get(id);
            let points = if let Some(Guess::Curve(points)) = guess { Some(points) } else { in_progress };
            let (said, mut blocks) = points.map(|points| curve(input, (id, decl), points, answer)).unzip();
            blocks.get_or_insert_default().insert(
                0,
                NoteBlock::Prediction { question, options, answer: said, measured: None, traced: None, because },
            );
            return blocks.unwrap_or_default();
        }
        _ => None,
    };
    let shown = |value: Option<f64>| Some(figure(value?, &prediction.answer()?.unit));
    let traced = shown(answer.and_then(|a| a.traced));
    let mut measured = shown(answer.and_then(|a| a.measured));
    if let (Some(measured), Some(answer)) = (&mut measured, answer.filter(|answer| answer.recorded.is_some())) {
        measured.push_str(&format!(", recorded on {}", answer.device.as_deref().unwrap_or_default()));
    }
    vec![NoteBlock::Prediction { question, options, answer: said, measured, traced, because }]
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
    let Some(plot) = drawn::plot(&input.setting.lesson, decl, points, found) else { return (said, Vec::new()) };
    let frame = plot::frame(&plot, PLOT);
    let said = found.map_or_else(|| said.clone(), |found| format!("{said}. {}", drawn::compared(&plot, points, found)));
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

/// An exercise, and the kernels that the learner wrote for it.
pub(super) fn exercise(input: &Input, id: &str, fill: &Fill<'_>) -> Vec<NoteBlock> {
    let exercises = &input.setting.lesson.exercises;
    let Some(exercise) = exercises.iter().find(|exercise| exercise.id == id) else { return Vec::new() };
    let mut blocks = vec![NoteBlock::Prose(exercise.prompt.iter().map(|b| fill.block(b)).collect())];
    let tried = input.kept.tried(id);
    let goal = format!("Goal: {}", exercise.goal_text);
    blocks.push(NoteBlock::Prose(vec![Block::Paragraph(vec![Inline::Text(goal)])]));
    let mut source = |file: &str, text: &str| {
        blocks.push(NoteBlock::Source { file: file.to_owned(), text: text.to_owned() });
    };
    if let Some(solution) = &tried.solution {
        source("my kernel, which reaches the goal", solution);
    }
    if let Some(edited) = tried.source.as_ref().filter(|source| tried.solution.as_ref() != Some(source)) {
        source("my kernel, as last edited", edited);
    }
    // With the starter, a reader without a window can do the exercise.
    if tried.solution.is_none() && tried.source.is_none() {
        source(&exercise.starter_file, &exercise.starter);
    }
    blocks
}
