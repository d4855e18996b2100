//! The window's thread is never busy for long. A file of its own, so that nothing else runs beside what it measures.
#![cfg(feature = "app")]

mod window;

use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;

use window::{open, settle};

#[test]
fn a_frame_takes_little_of_the_window_s_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let steps = window.state().desk.state().lesson.as_ref().map_or(0, |l| l.steps.len());
    for step in 0..steps {
        window.state_mut().desk.command(Command::GoTo(step));
        settle(&mut window);
        window.key_press(egui::Key::Space);
        window.run_steps(40);
    }
    // The first frames lay out fonts; they belong to the window's start, which has a budget of its own.
    let frames = &window.state().frames[8..];
    assert!(frames.len() > 400, "only {} frames", frames.len());
    let mut sorted = frames.to_vec();
    sorted.sort_by(f64::total_cmp);
    let longest = sorted[sorted.len() - 1];
    let median = sorted[sorted.len() / 2];
    assert!(median < 4e-3, "the median frame takes {:.2} ms of CPU time", median * 1e3);
    assert!(longest < 8e-3, "the longest frame takes {:.2} ms of CPU time", longest * 1e3);
}
