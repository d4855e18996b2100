//! The state file: two windows that share it, and one that cannot be written for a while.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;
use warpbook::session::desk::status::{Notice, SaveState};

use crate::harness::{PATIENCE, Window, open, settle};

const SIZE: [f32; 2] = [1280.0, 800.0];

fn open_pack(folder: &Path) -> Harness<'static, Window> {
    let pack = folder.join("pack");
    if !pack.exists() {
        warpbook::session::pack::new_lesson::create(&pack, "one").unwrap();
    }
    open(PackFiles::Folder(pack), &folder.join("kept/state.ron"), SIZE)
}

fn command(window: &mut Harness<'_, Window>, command: Command) {
    window.state_mut().desk.command(command);
    settle(window);
}

fn write(window: &mut Harness<'_, Window>, words: &str) {
    command(window, Command::Write("copy".to_owned(), words.to_owned()));
}

fn words(window: &Harness<'_, Window>) -> String {
    window.state().desk.state().kept().words.get("copy").cloned().unwrap_or_default()
}

#[test]
fn two_windows_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (mut first, mut second) = (open_pack(folder.path()), open_pack(folder.path()));
    write(&mut first, "what the first one learned");
    // The second window turns a control and no more; what the first one wrote stays, and is shown.
    command(&mut second, Command::SetParam("block".to_owned(), 64.0));
    assert_eq!(words(&second), "what the first one learned");
    assert_eq!(words(&open_pack(folder.path())), "what the first one learned");
    // Both change the same words.
    write(&mut first, "first");
    write(&mut second, "second");
    let said = second.state().desk.state().status.notices.iter().any(
        |notice| matches!(notice, Notice::Problem(problem) if problem.message.contains("your words on the step `copy`")),
    );
    assert!(said && words(&second) == "second");
    assert!(fs::read_to_string(folder.path().join("kept/state.ron.kept")).unwrap().contains("first"));
}

#[test]
fn a_failed_write_is_told_in_the_page_and_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_pack(folder.path());
    let kept = folder.path().join("kept");
    fs::remove_dir_all(&kept).unwrap();
    fs::write(&kept, "").unwrap();
    write(&mut window, "words");
    let told = window.get_by_label_contains("not saved, and tried again").rect();
    assert!(told.right() <= SIZE[0], "{told:?}");
    fs::remove_file(&kept).unwrap();
    let began = Instant::now();
    while !matches!(window.state().desk.state().status.save, SaveState::Saved) {
        window.step();
        assert!(began.elapsed() < PATIENCE, "it was not tried again");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(fs::read_to_string(kept.join("state.ron")).unwrap().contains("words"));
}
