//! A lesson as pages of a site: its note, a page for each step, with what the pages' script asks about.

use std::collections::BTreeMap;

use super::STAGE;
use crate::figures::{self, Clock};
use crate::lesson::{self, AnswerKind, Block, Lesson, Pack, PackFiles, Step};
use crate::notes::page::{Played, Playing};
use crate::notes::site::{Chapter, Exercise, Page, Question};
use crate::notes::{NoteBlock, Report};
use crate::session::experiment::recording::{Recording, RecordingChoice};
use crate::session::learn::predict::Answer;
use crate::session::learn::question;

/// The pages of a lesson whose note was built for a site.
#[must_use]
pub fn chapter(pack: &Pack, lesson: &Lesson, report: Report, recordings: &[Recording]) -> Chapter {
    let Report { mut sections, playing, .. } = report;
    let Playing { pack: question, figures } =
        playing.unwrap_or_else(|| Playing { pack: String::new(), figures: Default::default() });
    let mut cover = None;
    let pages = lesson.steps.iter().filter_map(|step| {
        let place = sections.iter().position(|section| section.id == step.id)?;
        let blocks = sections.swap_remove(place).blocks;
        let stage = format!("{}-stage", step.id);
        // An explorer that the window shows on its stage is a block of the text here.
        let by_hand = figures::find(&step.figure.name).is_some_and(|figure| figure.card().clock == Clock::Hand);
        let explorer = step.explorer().filter(|_| by_hand).map(|name| format!("{}-{name}", step.id));
        let drawn = blocks.iter().find_map(|block| match block {
            NoteBlock::Figure { id, svg, .. } if *id == stage => Some(svg.clone()),
            _ => None,
        });
        if step.cover || cover.is_none() {
            cover = drawn.or(cover.take());
        }
        let asked = step.blocks.iter().filter_map(|block| if let Block::Predict(id) = block { Some(id) } else { None });
        Some(Page {
            id: step.id.clone(),
            title: step.title.clone(),
            part: step.part.clone(),
            plays: blocks.iter().filter_map(|block| plays(block, &figures)).collect(),
            stages: explorer.into_iter().chain([stage]).collect(),
            blocks,
            questions: asked.filter_map(|id| asks(lesson, id, recordings)).collect(),
            exercises: exercises(lesson, step),
        })
    });
    let pages = pages.collect();
    let before = lesson.presupposes.iter().filter_map(|id| {
        let known = pack.lessons.iter().find(|lesson| lesson.id == *id)?;
        Some([known.id.clone(), known.title.clone()])
    });
    Chapter {
        id: lesson.id.clone(),
        title: lesson.title.clone(),
        summary: lesson.summary.clone(),
        before: before.collect(),
        cover: cover.map(|svg| (svg, STAGE)),
        built_in: lesson.files == PackFiles::Embedded,
        pack: question,
        pages,
    }
}

/// How a block plays, if it is a figure that does.
fn plays(block: &NoteBlock, figures: &BTreeMap<String, Played>) -> Option<(String, Played)> {
    let NoteBlock::Figure { id, .. } = block else { return None };
    Some((id.clone(), figures.get(id)?.clone()))
}

/// A question, with its recorded answer if it is about times.
fn asks(lesson: &Lesson, id: &str, recordings: &[Recording]) -> Option<Question> {
    let asked = lesson.predictions.iter().find(|prediction| prediction.id == id)?;
    let params = question::settings(lesson, asked);
    let recorded = |decl| {
        let answer = Answer::default().or_recorded(decl, (lesson, &params), (recordings, &RecordingChoice::Auto));
        if answer.measured.is_some() {
            serde_json::to_value(answer).unwrap_or_default()
        } else {
            serde_json::Value::Null
        }
    };
    let (kind, unit, recorded) = match &asked.asks {
        AnswerKind::Choice(_, decl) => ("choice", decl.unit.clone(), recorded(decl)),
        AnswerKind::Number(_, decl) => ("number", decl.unit.clone(), recorded(decl)),
        AnswerKind::Curve(_) => ("curve", String::new(), serde_json::Value::Null),
    };
    Some(Question { id: id.to_owned(), kind, unit, recorded })
}

fn exercises(lesson: &Lesson, step: &Step) -> Vec<Exercise> {
    let found = step.exercises().filter_map(|id| lesson.exercises.iter().find(|exercise| exercise.id == id));
    let of = |exercise: &lesson::Exercise| {
        let (names, texts) = ([&*exercise.id, &exercise.starter_file], [&*exercise.starter, &exercise.solution]);
        Exercise::new(names, texts, &exercise.hints)
    };
    found.map(of).collect()
}
