//! Programs that play in the window, from the first launch to the last: eight moments of each, in which something
//! moves.
//!
//! To look at them: `WARPBOOK_WRITE_PICTURES=1 cargo test --test window films::` writes them as sheets to
//! `target/pictures/`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::Path;

use image::RgbImage;

use warpbook::figures::{self, Clock};
use warpbook::lesson::{Lesson, PackFiles};
use warpbook::session::desk::Command;

use crate::harness::{open, settle};
use crate::pictures::{difference, picture};

/// The lessons whose programs are played.
const LESSONS: [&str; 5] = ["text_to_ids", "tokenization", "moe", "zero", "tensor_cores"];
/// The picture on the stage, below the strip of passes, whose times are never the same.
const PICTURE: [u32; 4] = [628, 160, 652, 224];
/// Moments of a row of the sheet.
const ROW: u32 = 4;
/// The least share of a picture that is other in the next moment where something moves.
const MOVES: f64 = 0.0005;
/// Frames of the window before each moment: the player moves a tenth of a second at most per frame, and a program takes
/// 12 seconds at most, a short one far less.
const FRAMES: [usize; 8] = [1, 1, 2, 2, 4, 8, 32, 76];

/// The steps that play: of each program and figure the first.
fn playing(lesson: &Lesson) -> Vec<(usize, String)> {
    let mut seen = BTreeSet::new();
    // An exercise shows what the learner has changed beside what it was, which may be nothing yet.
    let steps = lesson.steps.iter().enumerate().filter(|(_, step)| step.exercises().next().is_none());
    let steps = steps.filter(|(_, step)| {
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
fn programs_move_when_they_play() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let mut still = Vec::new();
    for lesson in LESSONS {
        window.state_mut().desk.command(Command::OpenLesson(lesson.to_owned()));
        settle(&mut window);
        let lesson = window.state().desk.state().place.lesson.clone().unwrap();
        for (number, step) in playing(&lesson) {
            window.state_mut().desk.command(Command::GoTo(number));
            settle(&mut window);
            window.state_mut().view.play(1.0);
            let mut moments = Vec::new();
            for frames in FRAMES {
                window.run_steps(frames);
                match picture(&mut window, Some(PICTURE)) {
                    Ok(moment) => moments.push(moment),
                    Err(why) => {
                        let required = std::env::var_os("WARPBOOK_REQUIRE_GPU").is_some();
                        assert!(!required, "a graphics driver is required here: {why}");
                        return;
                    }
                }
            }
            let shown = &window.state().desk.state().picture();
            if shown != &lesson.steps[number].figure {
                still.push(format!("{} {step} ends with another picture", lesson.id));
            }
            if !moments.windows(2).any(|pair| difference(&pair[0], &pair[1]) > MOVES) {
                still.push(format!("{} {step}", lesson.id));
            }
            write(&format!("film-{}-{step}", lesson.id), &moments);
        }
    }
    assert!(still.is_empty(), "nothing moves: {still:?}");
}

/// Writes the moments as a sheet, if it is asked for.
fn write(name: &str, moments: &[RgbImage]) {
    if std::env::var_os("WARPBOOK_WRITE_PICTURES").is_none() {
        return;
    }
    let (width, height) = moments[0].dimensions();
    let mut sheet = RgbImage::new(ROW * width, 2 * height);
    for (at, moment) in (0..).zip(moments) {
        let (x, y) = (at % ROW * width, at / ROW * height);
        image::imageops::replace(&mut sheet, moment, i64::from(x), i64::from(y));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pictures");
    std::fs::create_dir_all(&folder).unwrap();
    sheet.save(folder.join(format!("{name}.png"))).unwrap();
}
