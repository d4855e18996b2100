//! A training in the window: watched while it runs, and left in the middle.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use egui_kittest::kittest::Queryable;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;

use crate::harness::{open, settle};

#[test]
fn a_training_is_watched_while_it_runs_and_can_be_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::OpenLesson("one_step".to_owned()));
    settle(&mut window);
    let lesson = window.state().desk.state().place.lesson.clone().unwrap();
    let page = |id: &str| lesson.steps.iter().position(|step| step.id == id).unwrap();
    window.state_mut().desk.command(Command::GoTo(page("loss")));
    settle(&mut window);
    // So many steps that they are far from done after some frames.
    window.state_mut().desk.command(Command::SetParam("steps".to_owned(), 900.0));
    window.run_steps(30);
    assert!(window.state().desk.busy());
    window.get_by_label("The loss falls");
    // Another page is there at once, with its own trace: nothing waits for the end of the training.
    window.state_mut().desk.command(Command::GoTo(page("einsum_loops")));
    settle(&mut window);
    assert!(window.state().desk.state().traced().is_some());
    window.get_by_label("An einsum is a loop nest");
}
