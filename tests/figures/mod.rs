//! Measured figures in lessons: quoted by name and not typed, and every quote is found or reported at its place.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod quotes;
mod typed;

use std::path::Path;

use typed::Typed;
use warpbook::lesson::{Block, Inline, Lesson, PackFiles};
use warpbook::session;

fn lessons() -> Vec<std::sync::Arc<Lesson>> {
    let files = PackFiles::Folder(Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf());
    session::load(&files).0.lessons
}

/// Figures that are typed in a lesson's prose, each with where.
fn typed(lesson: &Lesson) -> Vec<String> {
    let mut found = Vec::new();
    for step in &lesson.steps {
        let mut typed = Typed::default();
        typed.blocks(&step.blocks);
        found.extend(typed.0.into_iter().map(|what| format!("{}, step {}: {what}", lesson.id, step.id)));
    }
    for prediction in &lesson.predictions {
        let mut typed = Typed::default();
        typed.line(&prediction.question);
        typed.line(&prediction.because);
        found.extend(typed.0.into_iter().map(|what| format!("{}, prediction {}: {what}", lesson.id, prediction.id)));
    }
    let mut typed = Typed::default();
    lesson.exercises.iter().for_each(|exercise| typed.blocks(&exercise.prompt));
    found.extend(typed.0.into_iter().map(|what| format!("{}, exercise: {what}", lesson.id)));
    found
}

#[test]
fn no_lesson_types_a_measured_figure() {
    let lessons = lessons();
    assert!(!lessons.is_empty());
    let found: Vec<String> = lessons.iter().flat_map(|lesson| typed(lesson)).collect();
    assert!(
        found.is_empty(),
        "quote it, {{{{= expr : unit @ source}}}}; compute it, {{{{= expr : unit}}}}; or put arithmetic into $…$:\n{}",
        found.join("\n")
    );
}

#[test]
fn what_looks_measured_is_found() {
    let of = |text: &str| {
        let mut typed = Typed::default();
        typed.line(&[Inline::Text(text.to_owned())]);
        typed.0.len()
    };
    for measured in [
        "took 43.5 µs",
        "took 43.5\u{a0}µs.",
        "in 3 s,",
        "2,264 GB/s",
        "989 TFLOP/s",
        "47 TFLOPS",
        "6% more",
        "91.6 % of it",
        "12 percent",
        "took 1.98×.",
        "2.6× faster",
        "2.2 times as long",
        "(7%)",
        "0.5 milliseconds",
    ] {
        assert_eq!(of(measured), 1, "{measured}");
    }
    for other in [
        "a tile of 32 × 32",
        "32×32 elements",
        "8 times the sectors",
        "8 times as many",
        "page 3 says",
        "the 1990s",
        "16 kB and 4 bytes",
        "1,048,576 elements",
        "step 2 scans",
        "s = 8",
        "H100 samples",
        "vec4 s",
    ] {
        assert_eq!(of(other), 0, "{other}");
    }
    // In a table, the unit may be in the header or at the beginning of the row.
    let cell = |text: &str| vec![Inline::Text(text.to_owned())];
    let table = |header: [&str; 2], row: [&str; 2]| {
        let mut typed = Typed::default();
        typed.blocks(&[Block::Table(header.map(cell).into(), vec![row.map(cell).into()])]);
        typed.0.len()
    };
    assert_eq!(table(["stride", "time, µs"], ["8", "14.1"]), 1);
    assert_eq!(table(["stride", "8"], ["efficiency, %", "12.5"]), 1);
    assert_eq!(table(["stride", "8"], ["sectors", "32"]), 0);
}
