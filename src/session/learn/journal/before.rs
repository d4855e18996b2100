//! The contents of a state file from before there was a journal, as lines without a time.

use super::line::{Did, Line};
use crate::lesson::{Block, Lesson, Pack};
use crate::session::learn::graded::{graded, kind};
use crate::session::learn::saved::{LessonSaved, Saved};

/// The lines that follow from a saved state. Lessons that the pack lacks are left out, since nobody can grade them.
#[must_use]
pub fn before(saved: &Saved, pack: &Pack) -> Vec<Line> {
    let known = pack.lessons.iter().filter_map(|lesson| Some((lesson, saved.lessons.get(&lesson.id)?)));
    known.flat_map(|(lesson, kept)| of_lesson(lesson, kept)).collect()
}

fn of_lesson(lesson: &Lesson, kept: &LessonSaved) -> Vec<Line> {
    let line = |step: &str, did| Line { time: None, lesson: lesson.id.clone(), step: step.to_owned(), did };
    let on = |block: Block| lesson.step_with(&block).map(|step| step.id.as_str()).unwrap_or_default();
    let read = kept.seen.iter().map(|step| line(step, Did::Read { seconds: 0 }));
    let predicted = lesson.predictions.iter().filter_map(|asked| {
        let made = kept.counts(&asked.id)?;
        let answer = made.answer.as_ref()?;
        let grade = graded(&asked.asks, &made.guess, answer);
        let step = on(Block::Predict(asked.id.clone()));
        let did = Did::Predicted {
            id: asked.id.clone(),
            kind: kind(&asked.asks).to_owned(),
            params: kept.moved.get(step).cloned().unwrap_or_default(),
            guess: made.guess.clone(),
            answer: answer.deciding(),
            right: grade.right,
            off: grade.off,
        };
        Some(line(step, did))
    });
    let solved = lesson.exercises.iter().filter_map(|exercise| {
        let tried = kept.exercises.get(&exercise.id).filter(|tried| tried.solution.is_some())?;
        let shown = tried.hints > exercise.hints.len();
        let did = Did::Solved { id: exercise.id.clone(), hints: tried.hints, shown };
        Some(line(on(Block::Exercise(exercise.id.clone())), did))
    });
    let words = kept.words.iter().filter(|(_, words)| !words.trim().is_empty());
    let wrote = words.map(|(step, words)| line(step, Did::Wrote { words: words.clone() }));
    read.chain(predicted).chain(solved).chain(wrote).collect()
}
