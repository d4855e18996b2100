//! Programs that play in the window, from the first launch to the last: eight moments of each as a sheet beside the one that was looked at and kept.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use image::RgbImage;

use warpbook::figures::{self, Clock};
use warpbook::lesson::{Lesson, PackFiles};
use warpbook::session::desk::Command;

use crate::harness::{open, settle};
use crate::pictures::{compare, stage};

/// The lessons whose programs are played.
const LESSONS: [&str; 5] = ["text_to_ids", "tokenization", "moe", "zero", "tensor_cores"];
/// Moments of a sheet, and of a row of it.
const MOMENTS: u32 = 8;
const ROW: u32 = 4;
/// Frames of the window from one moment to the next: the player moves a tenth of a second at most per frame, and a program takes 12 seconds at most.
const FRAMES: usize = 16;

/// The steps that play: of each program and figure the first.
fn playing(lesson: &Lesson) -> Vec<(usize, String)> {
    let mut seen = BTreeSet::new();
    let steps = lesson.steps.iter().enumerate().filter(|(_, step)| {
        let figure = figures::find(&step.figure.name);
        let plays = figure.is_some_and(|figure| matches!(figure.card().clock, Clock::Launches | Clock::Rounds));
        plays
            && seen.insert((
                step.variant.program.clone(),
                step.figure.name.clone(),
                step.figure.text("buffer").to_owned(),
            ))
    });
    steps.map(|(number, step)| (number, step.id.clone())).collect()
}

#[test]
fn programs_play_as_they_were_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let mut wrong = Vec::new();
    for lesson in LESSONS {
        window.state_mut().desk.command(Command::OpenLesson(lesson.to_owned()));
        settle(&mut window);
        let lesson = window.state().desk.state().place.lesson.clone().unwrap();
        for (number, step) in playing(&lesson) {
            window.state_mut().desk.command(Command::GoTo(number));
            settle(&mut window);
            window.state_mut().view.play(1.0);
            let mut sheet: Option<RgbImage> = None;
            for moment in 0..MOMENTS {
                window.run_steps(FRAMES);
                let taken = match stage(&mut window) {
                    Ok(taken) => taken,
                    Err(why) => {
                        let required = std::env::var_os("WARPBOOK_REQUIRE_GPU").is_some();
                        assert!(!required, "a graphics driver is required here: {why}");
                        return;
                    }
                };
                let (width, height) = taken.dimensions();
                let sheet = sheet.get_or_insert_with(|| RgbImage::new(ROW * width, MOMENTS.div_ceil(ROW) * height));
                let (x, y) = (moment % ROW * width, moment / ROW * height);
                image::imageops::replace(sheet, &taken, i64::from(x), i64::from(y));
            }
            wrong.extend(sheet.and_then(|sheet| compare(&format!("film-{}-{step}", lesson.id), &sheet)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nLook at them. Where they are as they should be:\n    WARPBOOK_WRITE_PICTURES=1 cargo test --test window films::",
        wrong.join("\n")
    );
}
