//! The built-in pack's pages: what each of them must have.

use warpbook::lesson::{Block, PackFiles};
use warpbook::session;

/// Pages that only look ahead: they teach nothing that could be asked.
const OUTLOOKS: [(&str, &str); 1] = [("tiling", "onward")];

#[test]
fn every_page_that_teaches_asks_something() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let asks = |block: &Block| matches!(block, Block::Predict(_) | Block::Exercise(_));
    let silent = pack.lessons.iter().flat_map(|lesson| {
        let steps = lesson.steps.iter().filter(|step| !step.blocks.iter().any(asks));
        steps.map(|step| (lesson.id.as_str(), step.id.as_str()))
    });
    assert_eq!(silent.collect::<Vec<_>>(), OUTLOOKS);
}

#[test]
fn every_exercise_has_hints_and_says_what_is_wrong() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    for exercise in pack.lessons.iter().flat_map(|lesson| &lesson.exercises) {
        assert!((2..=3).contains(&exercise.hints.len()), "{}", exercise.id);
        assert!(exercise.goal.iter().all(|part| !part.of.is_empty()), "{}", exercise.id);
        for wrong in &exercise.wrong {
            assert!(wrong.says.is_some(), "{}: {}", exercise.id, wrong.file);
        }
    }
}

#[test]
fn no_picture_has_a_buffers_name_as_its_title() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    for lesson in &pack.lessons {
        for step in lesson.steps.iter().filter(|step| step.figure.name == "Contents") {
            let title = step.figure.text("title");
            let program = lesson.program(&step.variant.program).expect("its program");
            let is_buffer = program.buffers.iter().any(|buffer| buffer.name == title);
            assert!(!title.is_empty() && !is_buffer, "{} {}: {title:?}", lesson.id, step.id);
        }
    }
}

#[test]
fn a_snippet_of_python_is_of_a_step_and_short() {
    let (pack, found) = session::load(&PackFiles::Embedded);
    assert!(found.is_empty(), "{found:?}");
    let steps = pack.lessons.iter().flat_map(|lesson| &lesson.steps);
    let snippets: Vec<_> = steps.filter_map(|step| Some((&step.id, step.python.as_deref()?))).collect();
    assert!(snippets.len() > 100, "{}", snippets.len());
    for (step, text) in snippets {
        assert!(text.starts_with("# "), "{step}: the first line says what it shows");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{step}: a line is too long for the pane");
    }
}
